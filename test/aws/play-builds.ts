import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as tar from 'tar';
import { tarball } from '../support/programs/deploy-cli.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import type { BuildService, StartedBuild } from './builds.ts';
import type { Ground } from './installation.ts';
import { type Push, pushImage } from './registry.ts';
import { COMMIT, storeFolder } from './tour.ts';

type Place = Pick<Ground, 'folder' | 'emulator'>;
type Finish = (place: Place, job: Record<string, unknown>, source: Buffer) => Promise<Record<string, string>>;

/** Ends a build as CodeBuild does, with the folder in the source as it is. */
export const finishAsFolder = (place: Place, builds: BuildService, build: StartedBuild): Promise<void> =>
  finish(place, builds, build, (_, job, source) => storeFolder(job, source));

/** The same with an image that runs the server in the source. */
export const finishAsImage = (place: Place, builds: BuildService, build: StartedBuild): Promise<void> =>
  finish(place, builds, build, storeImage);

async function finish(place: Place, builds: BuildService, build: StartedBuild, store: Finish): Promise<void> {
  const job = await builds.takeJob(build);
  const source = job.source as { kind: string; url: string }; // see build-job.ts
  const isGit = source.kind === 'git';
  const content = isGit
    ? await tarball(await helloFiles('v1'))
    : Buffer.from(await (await fetch(source.url)).arrayBuffer());
  const exported = await store(place, job, await builtOf(place, content));
  await builds.succeed(build, { ...exported, ...(isGit && { COMMIT_SHA: COMMIT }) });
}

/** What a build makes of a source, as far as this machine can: a graph is played by a server that says what it would. */
async function builtOf(place: Place, source: Buffer): Promise<Buffer> {
  if (!existsSync(join(await unpacked(place, source), 'langgraph.json'))) return source;
  const manifest = JSON.stringify({ type: 'module', scripts: { start: 'node server.js' } });
  return tarball({ 'package.json': manifest, 'server.js': SHOUTS });
}

const SHOUTS = `import { createServer } from 'node:http';
const answers = { '/ok': { ok: true }, '/runs/wait': { messages: [{ content: 'v1: HELLO THERE!' }] } };
const server = createServer(({ url }, answer) => answer.end(JSON.stringify(answers[url] ?? {})));
server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

async function unpacked({ folder }: Place, source: Buffer): Promise<string> {
  const cwd = await mkdtemp(join(folder, 'source-'));
  const file = join(cwd, 'source.tar.gz');
  await writeFile(file, source);
  await tar.extract({ file, cwd });
  return cwd;
}

const storeImage: Finish = async (place, job, source) => {
  const folder = await unpacked(place, source);
  const ARTIFACT_DIGEST = await pushImage(place.emulator, job.push as Push, undefined, folder); // see build-job.ts
  await place.emulator.setImage(ARTIFACT_DIGEST, { args: [join(folder, 'server.js')] });
  return { ARTIFACT_DIGEST, ARTIFACT_SERVER: 'other' };
};
