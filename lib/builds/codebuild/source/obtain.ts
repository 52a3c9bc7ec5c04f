import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackCommand, unpackedBy } from '../../../unpack/unpack.ts';
import { BuildFailure } from '../../failure.ts';
import { refuseLfsPointers } from '../../lfs.ts';
import { leaveOuterFolder, reportUnpacked, unpackTarball } from '../../tarball.ts';
import type { Job } from '../job.ts';
import type { Machine } from '../machine.ts';
import { say } from '../report.ts';
import { bareEnvironment, run } from '../run.ts';
import { download } from '../store.ts';
import { fetchCommit } from './git.ts';

/**
 * Puts the source into its folder: one commit of a repository, or an uploaded tarball. Throws BuildFailure
 * when it cannot be had.
 */
export async function obtainSource(machine: Machine): Promise<void> {
  const { source } = machine.job;
  if (source.kind === 'git') await fetchCommit(machine, source);
  else await obtainTarball(machine, source);
}

async function obtainTarball(
  machine: Machine,
  { url, sha256 }: Extract<Job['source'], { kind: 'tarball' }>,
): Promise<void> {
  machine.step = 'unpack';
  say('Unpacking the uploaded source');
  const file = join(machine.work, 'source.tgz');
  if (!(await download(url, file)))
    throw new BuildFailure('The source tarball cannot be read: it is no longer stored, or is too large');
  const request = unpackTarball({ file, sha256, folder: machine.source });
  const program = [fileURLToPath(import.meta.url), 'unpack'];
  const [command, ...args] = unpackCommand(request, program);
  const ran = await run(command, args, { env: bareEnvironment(machine.home), output: 'read' });
  reportUnpacked(unpackedBy(ran, ran.output), say);
  await rm(file);
  await leaveOuterFolder(machine.source, machine.job, say);
  await refuseLfsPointers(machine.source);
}
