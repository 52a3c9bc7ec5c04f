import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BuildPlan } from '../../../lib/builds/plan.ts';
import { sealSource } from '../../../lib/builds/seal.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';

const plan: BuildPlan = {
  language: 'plain',
  server: 'other',
  folder: '.',
  start: { line: './server', from: 'a server' },
  notes: [],
  environment: {},
  install: [],
  build: { do: 'skip', reason: '' },
  ownCommands: false,
  requires: [],
};

it('writes how a server is started in the place of a link that the source has there', async () => {
  const base = await temporaryFolder();
  await writeFiles(base, { outside: 'as it was', 'source/.slipway-start.json': { link: '../outside' } });
  await sealSource(join(base, 'source'), plan, new Set());
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('as it was');
  const written = await readFile(join(base, 'source/.slipway-start.json'), 'utf8');
  expect(JSON.parse(written)).toEqual({ folder: '.', line: './server', from: 'a server' });
});

it('leaves an agent none of its own source, which says nothing that may be trusted', async () => {
  const root = await temporaryFolder();
  await writeFiles(root, { '.slipway-start.json': '{"folder":"..","line":"true","from":"x"}', a: '' });
  await sealSource(root, { ...plan, server: 'langgraph' }, new Set());
  expect(await readdir(root)).toEqual(['a']);
});
