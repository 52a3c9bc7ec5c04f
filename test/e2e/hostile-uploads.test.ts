import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upload, uploadedTo, zeros } from '../support/files/hostile-uploads.ts';
import { endProgram, type Program, startProgram } from '../support/programs/program.ts';

const watch = new URL('../support/programs/inflation-watch.ts', import.meta.url);
/** What is inflated at once. */
const CHUNK_BYTES = 64 * 1024;

let program: Program;
let folder: string;
const watched = (file: string) => ({
  NODE_OPTIONS: `--import=${watch.href}`,
  INFLATION_WATCH: join(folder, file),
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-hostile-'));
  program = await startProgram({ environment: watched('program') });
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

/** What the build log says was read of a tarball. */
function readIn(log: string): { entries: number; bytesInflated: number } {
  const [, entries, bytes] = /Read (\d+) entries of the tarball, (\d+) bytes inflated/.exec(log) ?? [];
  return { entries: Number(entries), bytesInflated: Number(bytes) };
}

describe('a hostile tarball', () => {
  it('of 2 MB that would inflate to 2 GiB is read to the end of its archive only', async () => {
    const content = zeros();
    expect(content.length).toBeGreaterThan(2_000_000);
    const { revision, log } = await upload(program, await uploadedTo(program, 'zeros'), content);
    expect(revision.status).toBe('BUILD_FAILED');
    expect(revision.status_message).toMatch(/The source tarball cannot be unpacked: it has no entries/);
    expect(readIn(log)).toEqual({ entries: 0, bytesInflated: CHUNK_BYTES });
  });

  it('is inflated by a child: the process that serves the API has inflated nothing', () => {
    const inflate = "require('node:zlib').gunzipSync(require('node:zlib').gzipSync('x'))";
    spawnSync(process.execPath, ['-e', inflate], { env: { ...process.env, ...watched('control') } });
    expect(readFileSync(join(folder, 'control'), 'utf8').split('\n')).toHaveLength(3);
    expect(existsSync(join(folder, 'program'))).toBe(false);
  });
});
