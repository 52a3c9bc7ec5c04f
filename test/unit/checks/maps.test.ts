import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ARCHITECTURE = 'docs/architecture.md';
const MASK = /from '.*\/(?:contract\/mask|masked)\.ts'/;

const filesIn = (text: string): string[] =>
  [...text.matchAll(/`((?:lib|functions|console|bin|test|statemachines)\/[\w/.-]+)`/g)].map(
    ([, file = '']) => file,
  );

it.each([ARCHITECTURE, 'CONTRIBUTING.md', 'statemachines/revision.md'])(
  '%s names only files and folders that exist',
  async (page) => {
    const named = filesIn(await readFile(page, 'utf8'));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((file) => !existsSync(file) && !existsSync(`${file}.ts`))).toEqual([]);
  },
);

it('the architecture names every place that masks text', async () => {
  const page = await readFile(ARCHITECTURE, 'utf8');
  const section = page.split('## Where text is masked\n')[1]?.split('\n## ')[0] ?? '';
  const files = (await readdir('lib', { recursive: true })).filter((file) => file.endsWith('.ts'));
  const maskers = await Promise.all(
    files.map(async (file) => (MASK.test(await readFile(join('lib', file), 'utf8')) ? [file] : [])),
  );
  const found = maskers.flat();
  expect(found.length).toBeGreaterThan(10);
  const named = filesIn(section).filter((file) => file !== 'lib/contract/mask.ts');
  expect(named.toSorted()).toEqual(found.map((file) => `lib/${file}`).toSorted());
});
