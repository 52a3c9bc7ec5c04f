import { join } from 'node:path';
import * as z from 'zod';
import { BuildFailure } from '../failure.ts';
import { BINFMT_IMAGE } from '../versions.ts';
import { bindVariables } from './bound.ts';
import { planImage } from './choose.ts';
import type { ImageSource } from './described.ts';
import { docker, dockerBuild, pullLimitIn } from './docker.ts';
import type { ImagePush } from './job.ts';
import type { Machine } from './machine.ts';
import { say } from './report.ts';
import { lastLine, ownEnvironment, run } from './run.ts';

/**
 * Decides how the image is built. The result builds it, pushes it when all of the user's code has ended, and
 * reports its digest and what it runs.
 */
export async function planImageBuild(machine: Machine): Promise<() => Promise<void>> {
  const { push, platforms } = machine.job;
  if (push === undefined) throw new BuildFailure('This installation has no image registry');
  const bad = platforms.find((one) => !/^linux\/[a-z0-9]+(\/v[0-9])?$/.test(one));
  if (bad !== undefined) throw new BuildFailure(`Platform '${bad}' is not supported`);
  const prepare = await planImage(machine);
  return async () => {
    const image = `${push.repository}:rev-${machine.buildName}`;
    const source = await prepare();
    await build(machine, image, source);
    await pushImage(machine, image, push);
    machine.report.write('ARTIFACT_SERVER', source.server);
  };
}

async function build(machine: Machine, image: string, source: ImageSource): Promise<void> {
  const { platforms } = machine.job;
  machine.step = 'build';
  await emulate(machine, platforms);
  const contexts = Object.entries(source.contexts).flatMap(([name, path]) => [
    '--build-context',
    `${name}=${path}`,
  ]);
  const bound = await bindVariables(machine);
  const target = source.target === undefined ? [] : ['--target', source.target];
  for (const platform of platforms) {
    say(`Building the image for ${platform}`);
    const how = ['--platform', platform, '--load', '--tag', tagFor(image, platform, platforms)];
    const from = ['--file', source.dockerfile, ...target, ...contexts, source.context];
    await dockerBuild(machine, [...how, ...bound, ...from]);
  }
}

/** With one platform the image itself has the revision's tag, else the list of images. */
const tagFor = (image: string, platform: string, platforms: readonly string[]): string =>
  platforms.length === 1 ? image : `${image}-${platform.replaceAll('/', '-')}`;

/** Images for another kind of processor are built by emulation. */
async function emulate(machine: Machine, platforms: readonly string[]): Promise<void> {
  const own = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
  const other = platforms.find((one) => one !== own);
  if (other === undefined) return;
  const args = ['run', '--rm', '--privileged', BINFMT_IMAGE, '--install', 'all'];
  const { code, output } = await docker(machine, args);
  if (code !== 0)
    throw new BuildFailure(pullLimitIn(output) ?? `This installation cannot build for ${other}`);
}

async function pushImage(machine: Machine, image: string, push: ImagePush): Promise<void> {
  const { platforms } = machine.job;
  machine.step = 'push';
  say('Pushing the image');
  const config = ['--config', join(machine.work, 'push')];
  await logIn(machine, config, push);
  const tags = platforms.map((platform) => tagFor(image, platform, platforms));
  for (const tag of tags) {
    const { code } = await docker(machine, [...config, 'push', tag]);
    if (code !== 0) throw new BuildFailure('The image could not be pushed to the registry');
  }
  const digest =
    tags.length === 1
      ? await digestOf(machine, image, push.repository)
      : await pushList(machine, config, image, tags);
  if (digest === undefined || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new BuildFailure('The registry returned no digest for the pushed image');
  machine.report.write('ARTIFACT_DIGEST', digest);
  say(`Pushed the image ${digest}`);
}

/**
 * The session can push to this one repository. It is used by no process of the image build, and forgotten
 * with the folder it lies in.
 */
async function logIn(machine: Machine, config: string[], push: ImagePush): Promise<void> {
  const {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: _relative,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: _full,
    ...own
  } = ownEnvironment();
  const env = {
    ...own,
    AWS_ACCESS_KEY_ID: push.accessKeyId,
    AWS_SECRET_ACCESS_KEY: push.secretAccessKey,
    AWS_SESSION_TOKEN: push.sessionToken,
  };
  const password = await run('aws', ['ecr', 'get-login-password', '--region', push.region], {
    env,
    output: 'read',
  });
  const host = push.repository.split('/')[0] ?? '';
  const login = [...config, 'login', '--username', 'AWS', '--password-stdin', host];
  const ok =
    password.code === 0 &&
    (await docker(machine, login, { input: password.output, output: 'hidden' })).code === 0;
  if (!ok) throw new BuildFailure('The build could not log in to the image registry');
}

async function digestOf(machine: Machine, image: string, repository: string): Promise<string | undefined> {
  const args = ['image', 'inspect', '--format', '{{json .RepoDigests}}', image];
  const { code, output } = await docker(machine, args, { output: 'read' });
  const digests = code === 0 ? z.array(z.string()).parse(JSON.parse(output)) : [];
  const prefix = `${repository}@`;
  return digests.find((one) => one.startsWith(prefix))?.slice(prefix.length);
}

async function pushList(
  machine: Machine,
  config: string[],
  image: string,
  tags: string[],
): Promise<string | undefined> {
  const made = await docker(machine, [...config, 'manifest', 'create', image, ...tags]);
  if (made.code !== 0) return undefined;
  const { output } = await docker(machine, [...config, 'manifest', 'push', image], { output: 'read' });
  return lastLine(output, /./);
}
