import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { slipway } from '../../support/programs/user-cli.ts';

const environment = { SLIPWAY_URL: 'https://slipway.example', SLIPWAY_API_KEY: 'k' };
const program = 'the new program';
const facts = {
  name: 'slipway.mjs',
  sha256: createHash('sha256').update(program).digest('hex'),
  size_bytes: program.length,
};

/** An installation that names these facts, and sends this. */
const served =
  (named: object, body: string, asked: string[] = []): typeof fetch =>
  async (url, init) => {
    asked.push(`${String(url)} ${init?.redirect}`);
    const manifest = {
      version: '9.9.9',
      package: { name: 'slipway-0.tgz' },
      program: { ...facts, ...named },
    };
    return String(url).endsWith('/manifest.json') ? Response.json(manifest) : new Response(body);
  };

async function upgraded(fetch: typeof globalThis.fetch) {
  const folder = await temporaryFolder();
  const file = join(folder, 'slipway.mjs');
  writeFileSync(file, 'the old one');
  const ran = await slipway({ environment, program: file, home: folder, fetch }, ['upgrade']);
  return { ...ran, text: readFileSync(file, 'utf8'), files: readdirSync(folder) };
}

it('is fetched from the installation in use alone, and follows nothing elsewhere', async () => {
  const asked: string[] = [];
  expect(await upgraded(served({}, program, asked))).toMatchObject({
    exit: 0,
    text: program,
    files: ['slipway.mjs'],
  });
  expect(asked).toEqual([
    'https://slipway.example/cli/manifest.json error',
    'https://slipway.example/cli/slipway.mjs error',
  ]);
});

it.each([
  ['is cut off', {}, program.slice(0, -1)],
  ['is something else of the same size', {}, program.replace('new', 'odd')],
  ['is of another size than is named', { size_bytes: 3 }, program],
])('stays as it was when what comes %s', async (_, named, body) => {
  const { exit, stderr, text, files } = await upgraded(served(named, body));
  expect([exit, stderr, text, files]).toEqual([
    1,
    expect.stringContaining('Nothing was changed'),
    'the old one',
    ['slipway.mjs'],
  ]);
});

it('is not what a clone is run from', async () => {
  const ran = await slipway({ environment, program: '/clone/bin/cli.ts', fetch: served({}, '') }, [
    'upgrade',
  ]);
  expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('git pull')]);
});
