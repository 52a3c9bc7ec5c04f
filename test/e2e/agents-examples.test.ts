import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { endProgram } from '../support/programs/program.ts';
import { expectTour } from '../support/programs/tour.ts';
import { installUv, type Uv } from '../support/programs/uv.ts';
import { SharedProgram } from './shared-program.ts';

/** What a failed test shows of the program's output. */
const OUTPUT_CHARACTERS = 6000;

const shared = new SharedProgram();
let uv: Uv;
let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  uv = installUv(folder);
  await shared.start();
});
afterAll(async () => {
  expect(await endProgram(shared.program)).toEqual([]);
  await removeFolder(folder);
});

const TOURS: Record<string, { said: RegExp; lines: readonly string[] }> = {
  'fastapi-agent': {
    said: /^(v\d: |data: |\/d\/)/,
    lines: [
      'DEPLOYED',
      'v1: HELLO THERE!',
      'data: v1:',
      'data: HELLO',
      'data: THERE!',
      '/d/fastapi-agent/openapi.json',
      'DEPLOYED',
      'v2: HELLO THERE!',
      'DEPLOYED',
      'v1: HELLO THERE!',
      'DEPLOYED',
      'v1: HELLO THERE?!',
    ],
  },
  'mcp-server': {
    said: /^(v\d: |\d+$|Invalid Host|\{)/,
    lines: [
      'DEPLOYED',
      'v1: HELLO THERE!',
      '2',
      'DEPLOYED',
      'v1: HELLO THERE!',
      'DEPLOYED',
      'v2: HELLO THERE?!',
      'Invalid Host header',
      'DEPLOYED',
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
  },
};

it.each(Object.entries(TOURS))('the tour in the README of %s does what it says', async (example, tour) => {
  onTestFailed(() => void process.stdout.write(shared.program.output().slice(-OUTPUT_CHARACTERS)));
  await expectTour(shared.program, example, { ...tour, path: uv.path });
});
