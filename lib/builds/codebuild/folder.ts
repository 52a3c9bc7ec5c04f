import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { digestOf } from '../../unpack/answer.ts';
import { BuildFailure } from '../failure.ts';
import { findProject, planProject } from '../plan-project.ts';
import { readPackageJson } from '../project.ts';
import { refuseSecrets } from '../secret-search.ts';
import { bindVariables, withVariables } from './bound.ts';
import { dockerBuild } from './docker.ts';
import { folderDockerfile } from './dockerfiles.ts';
import type { Machine } from './machine.ts';
import { folderPlace, writePlanned } from './planned.ts';
import { say } from './report.ts';
import { refuseControlCharacters } from './source/paths.ts';
import { uploadFile } from './store.ts';
import { toolsetOf } from './toolchains.ts';

/** A machine unpacks it for every revision: as much as a build on such a machine may make. */
const FOLDER_BYTES_MAX = 2_147_483_648;

/**
 * Decides how the folder is built, that a machine of the user's runs. The result builds it, and stores it as
 * one tar file.
 */
export async function planFolder(machine: Machine): Promise<() => Promise<void>> {
  const { job, work, source } = machine;
  const request = await findProject(source, job, { mayQuote: false });
  refuseControlCharacters(request.folder, `The folder of config path '${job.configPath}'`);
  const plan = await planProject(request, folderPlace);
  for (const { text } of plan.notes) say(text);
  const node = request.agent?.config.node_version?.split('.')[0];
  const packageJson = await readPackageJson(request.root, request.folder);
  const own = folderDockerfile(toolsetOf(plan, packageJson, node).build);
  const dockerfile = withVariables(machine, own, 'steps');
  const planned = await writePlanned(work, plan, dockerfile, { withNode: true });
  return async () => {
    machine.step = 'build';
    say('Building the folder');
    const file = join(work, 'artifact.tar');
    const context = ['--build-context', `slipway=${planned.folder}`, source];
    await dockerBuild(machine, [
      '--file',
      planned.dockerfile,
      '--output',
      `type=tar,dest=${file}`,
      ...(await bindVariables(machine)),
      ...context,
    ]);
    await store(machine, file);
    machine.report.write('ARTIFACT_SERVER', plan.server);
    if (plan.isDurable) machine.report.write('ARTIFACT_DURABLE', 'true');
  };
}

async function store(machine: Machine, plain: string): Promise<void> {
  const { job, report } = machine;
  machine.step = 'pack';
  const { size } = await stat(plain);
  if (size > FOLDER_BYTES_MAX)
    throw new BuildFailure(`The built folder has ${size} bytes; at most ${FOLDER_BYTES_MAX} are allowed`);
  const file = `${plain}.gz`;
  await pipeline([
    createReadStream(plain),
    ...refuseSecrets(job.buildSecrets),
    createGzip(),
    createWriteStream(file),
  ]);
  await rm(plain);
  const { artifactKey, artifactUploadUrl } = job;
  if (artifactKey === undefined || artifactUploadUrl === undefined)
    throw new BuildFailure('The build was started without a place for the built folder');
  if (!(await uploadFile(file, artifactUploadUrl)))
    throw new BuildFailure('The built folder could not be stored');
  const sizeBytes = (await stat(file)).size;
  report.write('ARTIFACT_KEY', artifactKey);
  report.write('ARTIFACT_SHA256', await digestOf(file));
  report.write('ARTIFACT_SIZE_BYTES', String(sizeBytes));
  say(`Stored the artifact: ${sizeBytes} bytes`);
}
