import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadYaml } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Block, blocksOf, isNeed, needs, pages } from '../../support/pages/blocks.ts';

// Those that run on any machine are run by `e2e/docs.test.ts`.
const run = promisify(execFile);
const blocks = pages.flatMap(blocksOf);
const placeOf = ({ page, line }: Block): string => `${page}:${line}`;
const inLanguage = (...languages: string[]): Block[] =>
  blocks.filter(({ language }) => languages.includes(language));
const commands = inLanguage('sh');

it('every block is in a language that is checked, or is what something prints', () => {
  const known = ['', 'sh', 'json', 'yaml', 'ts', 'js'];
  expect(blocks.filter(({ language }) => !known.includes(language)).map(placeOf)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(150);
});

it('what a block needs is one of the needs, and is said of commands alone', () => {
  const marked = blocks.filter(({ need }) => need !== undefined);
  expect(marked.filter(({ language, need = '' }) => language !== 'sh' || !isNeed(need)).map(placeOf)).toEqual(
    [],
  );
});

describe.each(Object.entries(needs))('commands that need %s: %s', (need) => {
  const needing = commands.filter((block) => block.need === need);

  it(`can be read by a shell: ${needing.length} on ${[...new Set(needing.map(({ page }) => page))].join(', ')}`, async () => {
    expect(needing.length).toBeGreaterThan(0);
    for (const block of needing) await expectReadable(block);
  });
});

/** As far as a shell sees without running it. */
async function expectReadable(block: Block): Promise<void> {
  const refused = await run('bash', ['-n', '-c', block.text]).then(
    () => undefined,
    (error: unknown) => `${placeOf(block)} ${String(error)}`,
  );
  expect(refused).toBeUndefined();
}

it('an installation and its key are called SLIPWAY_URL and SLIPWAY_API_KEY on every page', () => {
  const others = /\$\{?(?:API|BASE|KEY|API_KEY|SLIPWAY|SLIPWAY_KEY|TOKEN_KEY|ApiUrl)\b/;
  expect(commands.filter(({ text }) => others.test(text)).map(placeOf)).toEqual([]);
  const fixed = commands.filter(({ text, need }) => text.includes('localhost:4400') && need !== 'terminal');
  expect(fixed.map(placeOf)).toEqual([]);
});

it.each(inLanguage('json').map((block) => [placeOf(block), block.text]))('%s is JSON', (_, text) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

it.each(inLanguage('yaml').map((block) => [placeOf(block), block.text]))('%s is YAML', (_, text) => {
  expect(loadYaml(text)).toBeTypeOf('object');
});

it('TypeScript is on the page of the client alone, where `infra/client-package.test.ts` compiles it', () => {
  expect(new Set(inLanguage('ts').map(({ page }) => page))).toEqual(new Set(['docs/client.md']));
});

it.each(inLanguage('js').map((block) => [placeOf(block), block.text]))(
  '%s is JavaScript',
  async (_, text) => {
    const file = join(await temporaryFolder(), 'block.mjs');
    await writeFile(file, text);
    await expect(run(process.execPath, ['--check', file])).resolves.toMatchObject({ stderr: '' });
  },
);
