import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as tar from 'tar';
import { expect, it, onTestFinished } from 'vitest';
import type { Site } from '../../../lib/builds/execute.ts';
import { unpackTarball } from '../../../lib/builds/tarball.ts';
import { planHere } from '../../../lib/embedded/builder/machine.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { unpackArchive } from '../../../lib/unpack/unpack.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';
import { buildCases, outline } from '../../support/programs/build-cases.ts';

/** A PATH with the tools that a builder in AWS has too. */
async function aPath(): Promise<string> {
  const folder = await temporaryFolder();
  const python = '#!/bin/sh\necho 3.12\necho "$0"\n';
  for (const [name, text] of [
    ['npm', ''],
    ['npx', ''],
    ['python3.12', python],
  ] as const)
    await writeFile(join(folder, name), text, { mode: 0o755 });
  return folder;
}

async function sourceOf(files: Files, kind: 'git' | 'tarball'): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  if (kind === 'git') return folder;
  const file = join(await temporaryFolder(), 'source.tgz');
  await tar.create({ file, gzip: true, cwd: folder }, ['.']);
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const target = await temporaryFolder();
  await mkdir(join(target, 'source'));
  const processes = new ProcessSupervisor();
  onTestFinished(() => processes.close());
  const request = unpackTarball({ file, sha256, folder: join(target, 'source') });
  const { outcome } = await unpackArchive(processes, request, new AbortController().signal);
  expect(outcome).toBe('unpacked');
  return join(target, 'source');
}

it('has a missing Python installed as a command of the build, which an interrupt ends', async () => {
  const root = await realpath(
    await sourceOf(
      {
        'requirements.txt': '',
        '.python-version': '3.97',
        'main.py': 'from fastapi import FastAPI\napp = FastAPI()\n',
      },
      'git',
    ),
  );
  const path = await aPath();
  await writeFile(join(path, 'uv'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const stopped = new Error('stopped');
  const lines: string[] = [];
  const run: Site['run'] = async ({ line, cwd }) => {
    // The source may say where uv gets interpreters from, so this is not run there.
    expect(cwd).not.toBe(root);
    lines.push(line);
    throw stopped;
  };
  const site = { root, environment: { PATH: path }, say: () => undefined, run };
  const wanted = { configPath: 'langgraph.json' };
  await expect(planHere(site, wanted, await temporaryFolder())).rejects.toBe(stopped);
  expect(lines).toEqual(['uv python install --no-progress --no-bin 3.97']);
});

// The builder of images is asked the same in test/infra/image-builder/plans.test.ts.
it.each(buildCases)('this machine builds $name as planned', async ({ files, source, wanted, expected }) => {
  const root = await realpath(await sourceOf(files, source));
  const site = {
    root,
    environment: { PATH: await aPath() },
    say: () => undefined,
    run: async () => undefined,
  };
  const planning = planHere(site, wanted, await temporaryFolder());
  if ('refused' in expected) await expect(planning).rejects.toThrow(expected.refused);
  else expect(outline((await planning).plan)).toEqual(expected);
});
