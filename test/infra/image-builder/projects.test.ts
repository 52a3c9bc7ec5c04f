import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BuildPlan } from '../../../lib/builds/plan.ts';
import { describeFailure } from '../../../lib/domain/agent-failure.ts';
import type { Files } from '../../support/files/write-files.ts';
import { aBuilder, aJob, aStore, type Builder, buildsOf, type Ended, type Job } from './set-up.ts';

const agent = JSON.stringify({ graphs: { a: './src/a.ts:graph' }, node_version: '22', dependencies: ['.'] });

async function built(files: Files, job: Job = {}): Promise<{ builder: Builder; ended: Ended }> {
  const builder = await aBuilder();
  await builder.repository('app', files);
  await writeFile(join(builder.state, 'described/Dockerfile'), 'FROM langchain/langgraphjs-api:22\n');
  await writeFile(join(builder.state, 'described/contexts.json'), JSON.stringify({}));
  return { builder, ended: await builder.run(aJob(job)) };
}

const seen = (builder: Builder, ...path: string[]): Promise<string> =>
  readFile(join(builder.state, ...path), 'utf8');

const python = (version?: string): string =>
  JSON.stringify({ graphs: { a: './a.py:g' }, dependencies: ['.'], python_version: version });

/** The plan that an image build was given. */
const planIn = async (builder: Builder): Promise<BuildPlan> =>
  // Written by the builder.
  JSON.parse(await seen(builder, 'build-0/slipway/plan.json')) as BuildPlan;

/** A job that makes a folder, and the store it goes to. */
async function folderJob(changes: Job = {}): Promise<Job> {
  const url = await aStore((request, response) => request.resume().on('end', () => response.end()));
  return { output: 'folder', artifactKey: 'k', artifactUploadUrl: `${url}/k`, ...changes };
}

const expectReason = (ended: Ended, reason: string): void => {
  expect(ended.lines.at(-1)).toBe(`ERROR: ${reason}`);
  expect(ended.exported.FAILURE_REASON).toBe(reason);
};

describe('an image', () => {
  it('of a project with a Dockerfile is built in the folder of its config', async () => {
    const { builder, ended } = await built(
      { 'apps/one/Dockerfile': 'FROM own', 'apps/one/langgraph.json': agent, 'other.txt': '' },
      { configPath: 'apps/one/langgraph.json' },
    );
    expect(await seen(builder, 'build-0/Dockerfile')).toBe('FROM own');
    expect(await readdir(join(builder.state, 'build-0/context'))).toEqual(['Dockerfile', 'langgraph.json']);
    expect(buildsOf(ended)).toHaveLength(1);
    // Its config may describe graphs: what the Dockerfile makes of them is its own.
    expect(ended.exported.ARTIFACT_SERVER).toBe('other');
  });

  it('of an agent project is what its own tool says, which sees the source alone', async () => {
    const { builder, ended } = await built(
      { 'langgraph.json': `\ufeff${agent}` },
      { installCommand: 'npm install && npm test' },
    );
    // Without the byte order mark, which the tool does not take.
    expect(await seen(builder, 'build-0/agent/langgraph.json')).toBe(agent);
    const [describing, building] = buildsOf(ended);
    expect(await seen(builder, 'build-0/Dockerfile')).toMatch(
      /^FROM \S+@sha256:[0-9a-f]{64} AS describe\nRUN pip install .* langgraph-cli==\d+\.\d+\.\d+\n[\s\S]*RUN --network=none --mount=type=bind,from=agent/,
    );
    expect(describing?.args.filter((arg) => arg.startsWith('agent='))).toHaveLength(1);
    expect(JSON.parse(await seen(builder, 'build-0/context/request.json'))).toEqual({
      config: 'langgraph.json',
      context: '.',
      install: 'npm install && npm test',
      build: null,
    });
    expect(await seen(builder, 'build-1/Dockerfile')).toBe('FROM langchain/langgraphjs-api:22\n');
    expect(building?.args).toContain('--load');
    expect(ended.exported.ARTIFACT_SERVER).toBe('langgraph');
  });

  it.each([
    [{ outer: '../../etc' }, "The config file's dependency '../../etc' leads out of the source"],
    // By a line a context, the second line would be one of its own: all temporary files of the machine.
    [
      { dep: 'dep\nstolen=/tmp' },
      "The config file's dependency 'dep stolen=/tmp' has a control character in its name",
    ],
    [
      { 'a=b': 'lib' },
      "The folder of the config file's dependency 'lib' must have a name of plain characters",
    ],
  ])('takes further folders of the source only: %j', async (contexts, reason) => {
    const builder = await aBuilder();
    await builder.repository('app', { 'langgraph.json': agent, 'lib/a.py': '', 'dep\nstolen=/tmp/a.py': '' });
    await writeFile(join(builder.state, 'described/contexts.json'), JSON.stringify(contexts));
    const ended = await builder.run(aJob());
    expectReason(ended, reason);
    expect(buildsOf(ended)).toHaveLength(1);
  });

  it('takes a further folder whatever its name looks like', async () => {
    const builder = await aBuilder();
    await builder.repository('app', { 'langgraph.json': agent, 'a b=c/a.py': '' });
    await writeFile(join(builder.state, 'described/Dockerfile'), 'FROM x\n');
    await writeFile(
      join(builder.state, 'described/contexts.json'),
      JSON.stringify({ one: 'a b=c', two: '.' }),
    );
    const [, building] = buildsOf(await builder.run(aJob()));
    const given = building?.args.filter((_, at, all) => all[at - 1] === '--build-context');
    expect(given).toEqual([
      expect.stringMatching(/^one=\/.*\/source\/a b=c$/),
      expect.stringMatching(/^two=\/.*\/source$/),
    ]);
  });

  it('of an agent project that would lack what it needs is refused before anything is built', async () => {
    const missing = { stores: ['REDIS_URI_CUSTOM'], licence: true };
    const { ended } = await built({ 'langgraph.json': agent }, { serverLacks: { ...missing, isAll: true } });
    expectReason(ended, describeFailure({ kind: 'needs_missing', ...missing }).replace(/\.$/, ''));
    expect(buildsOf(ended)).toEqual([]);
  });

  it('passes on why the tool refuses a config', async () => {
    const builder = await aBuilder();
    await builder.repository('app', { 'langgraph.json': agent });
    await writeFile(join(builder.state, 'described/reason'), 'No dependencies found\nat all');
    expectReason(await builder.run(aJob()), 'The config file cannot be used: No dependencies found at all');
  });

  it('of a server is what a machine would make, on a slim base and without rights', async () => {
    const { builder, ended } = await built(
      { 'package.json': '{"scripts":{"start":"node ."}}' },
      { buildCommand: 'npm run make' },
    );
    const dockerfile = await seen(builder, 'build-0/Dockerfile');
    // It may be for another kind of processor than the machine's, so a Node.js of its own runs the builder.
    expect(dockerfile).toContain(
      'from=node,source=/usr/local/bin/node,target=/slipway-node /slipway-node /slipway/builder.mjs install /slipway-build\n',
    );
    expect(dockerfile).toMatch(/\nFROM \S+\/node:24-bookworm-slim@sha256:[0-9a-f]{64}\nRUN useradd /);
    expect(dockerfile).toMatch(/\nUSER 10001:10001\n[^]*\nCMD \["\/slipway-server\/start"\]\n$/);
    expect(dockerfile).toContain(' PORT=8000 HOST=0.0.0.0\n');
    expect(await planIn(builder)).toMatchObject({
      language: 'plain',
      build: { do: 'run', command: 'npm run make' },
    });
    // Its commands may ask git for their version.
    expect(await readdir(join(builder.state, 'build-0/context'))).toContain('.git');
    expect(ended.exported.ARTIFACT_SERVER).toBe('other');
    expect(ended.lines).toContain('Start: node .');
  });

  it('of a server installs from manifests and lockfiles alone, where no more is needed', async () => {
    const folder = { 'main.py': 'app = FastAPI()', 'requirements.txt': 'fastapi\n', 'x.json': '{}' };
    const files = Object.fromEntries(Object.entries(folder).map(([name, text]) => [`a b/${name}`, text]));
    const { builder } = await built(files, { configPath: 'a b/x.json' });
    expect(await readdir(join(builder.state, 'build-0/slipway/inputs/a b'))).toEqual(['requirements.txt']);
    const copied =
      /COPY --from=slipway inputs\/ \/slipway-build\/\nRUN .* install .*\nCOPY \. \/slipway-build\nRUN .* build /;
    expect(await seen(builder, 'build-0/Dockerfile')).toMatch(copied);
    const needsMore = await built({
      ...folder,
      'requirements.txt': '-r other.txt\n',
      'other.txt': 'fastapi',
    });
    expect(await seen(needsMore.builder, 'build-0/Dockerfile')).toMatch(
      /COPY \. \/slipway-build\nRUN .* install .*\nRUN .* build /,
    );
  });

  it('is built by the Dockerfile and up to the stage that a deployment names', async () => {
    const { builder, ended } = await built(
      { Dockerfile: 'FROM own', 'docker/Dockerfile.prod': 'FROM named' },
      { dockerfilePath: 'docker/Dockerfile.prod', dockerTarget: 'server' },
    );
    expect(await seen(builder, 'build-0/Dockerfile')).toBe('FROM named');
    expect(await readdir(join(builder.state, 'build-0/context'))).toContain('docker');
    const [build] = buildsOf(ended);
    expect(build?.args.slice(build.args.indexOf('--target'))[1]).toBe('server');
  });

  it.each([
    [{ dockerfilePath: 'no/Dockerfile' }, "dockerfile_path 'no/Dockerfile' names no file of the source"],
    [{ dockerfilePath: '../Dockerfile' }, "dockerfile_path '../Dockerfile' names no file of the source"],
    [{ dockerTarget: 'server' }, "docker_target 'server' names a stage, but the source has no Dockerfile"],
  ])('is not built by what is not there: %j', async (job, reason) => {
    const { ended } = await built({ Procfile: 'web: ./serve' }, job);
    expectReason(ended, reason);
    expect(buildsOf(ended)).toEqual([]);
  });

  it('of nothing is refused before anything is installed', async () => {
    const { ended } = await built({ 'a.txt': '' });
    expect(ended.exported.FAILURE_REASON).toMatch(
      /^There is nothing to start\. Found a\.txt: set start_command to `<command>`\. Looked for /,
    );
    expect(buildsOf(ended)).toEqual([]);
  });
});

describe('a folder', () => {
  it.each([
    ['javascript', { 'langgraph.json': agent, 'src/a.ts': '', Dockerfile: 'FROM own' }, 'node:22-bookworm'],
    ['python', { 'langgraph.json': python('3.11'), 'a.py': '' }, 'python:3.11-bookworm'],
    // What the project does not choose is one image and no other, whatever its tag becomes.
    ['plain', { Procfile: 'web: true' }, /node:24-bookworm@sha256:[0-9a-f]{64}/.source],
    ['plain', { 'go.mod': 'module x', 'main.go': 'package main' }, /node:24-bookworm@\S+/.source],
    ['python', { 'main.py': 'app = FastAPI()', '.python-version': '3.13' }, 'python:3.13-bookworm'],
    ['python', { 'langgraph.json': python(), 'a.py': '' }, /python:3.12-bookworm@sha256:[0-9a-f]{64}/.source],
  ])('of a %s project is built where its servers run', async (language, files, base) => {
    const { builder, ended } = await built(files, await folderJob());
    expect(ended.exported.ARTIFACT_KEY).toBe('k');
    expect(ended.exported.ARTIFACT_SERVER).toBe('langgraph.json' in files ? 'langgraph' : 'other');
    const dockerfile = await seen(builder, 'build-0/Dockerfile');
    expect(dockerfile).toMatch(new RegExp(`^FROM public.ecr.aws/docker/library/${base} AS build\n`));
    expect(dockerfile).toMatch(/FROM scratch\nCOPY --from=build \/slipway-build \/\n$/);
    expect(dockerfile).toContain('target=/slipway /slipway/node /slipway/builder.mjs install /slipway-build');
    expect((await planIn(builder)).language).toBe(language);
  });

  it.each([
    [
      '{"graphs":{"a":"./a.py:g","b":"./b.ts:g"}}',
      "langgraph.json line 1: graph 'a' is Python and 'b' is JavaScript; one agent server runs one language, so deploy them separately",
    ],
    [
      '{"graphs":{"a":"nothing"}}',
      "langgraph.json line 1: graphs.a must look like './file.ts:export' (a file, a colon and what it exports)",
    ],
    ['{"graphs":', 'langgraph.json is not valid JSON at line 1 column 11'],
    [python('3.9'), 'langgraph.json: python_version 3.9: the agent server needs Python 3.11 or later'],
    [
      '{"graphs":{"a":"./a.ts:g"},"node_version":"22\\nRUN x"}',
      'langgraph.json line 1: node_version must be a version number such as "3.12" or "22"',
    ],
  ])('is not made of the config %s', async (config, reason) => {
    const { ended } = await built({ 'langgraph.json': config, 'a.py': '' }, await folderJob());
    expectReason(ended, reason);
    expect(buildsOf(ended)).toEqual([]);
  });
});

describe('a config path', () => {
  it.each([
    ['../langgraph.json', "Config path '../langgraph.json' leads out of the source"],
    ['/etc/passwd', "Config path '/etc/passwd' leads out of the source"],
    ['out/x.json', "Config path 'out/x.json' leads out of the source"],
    ['none.json', "Config file 'none.json' does not exist in the source"],
    ['none/x.json', "Config file 'none/x.json' does not exist in the source"],
    ['folder', "Config file 'folder' is not a file"],
    [
      'folder/a',
      "Config file 'folder/a' is of another kind: graph_config_path names a langgraph.json, or a package.json in the folder of a server. Name one of them, or leave graph_config_path out and set root_directory to the project's folder",
    ],
  ])('%s is refused', async (configPath, reason) => {
    const { ended } = await built(
      { Dockerfile: 'FROM x', out: { link: '/etc' }, 'folder/a': '1' },
      { configPath },
    );
    expectReason(ended, reason);
  });
});

describe('what a user writes', () => {
  const nasty = `x'"; touch pwned; $(touch pwned) \`touch pwned\` && echo a  b`;

  it('in a command or a path runs nowhere but inside the image build', async () => {
    const folder = `$(touch pwned) 'a' "b" ; touch pwned`;
    const { builder, ended } = await built(
      { [`${folder}/langgraph.json`]: agent },
      await folderJob({ configPath: `${folder}/langgraph.json`, installCommand: nasty, buildCommand: nasty }),
    );
    expect(ended.exported.ARTIFACT_KEY).toBe('k');
    const plan = await planIn(builder);
    expect(plan.folder).toBe(folder);
    expect([plan.install[0]?.steps, plan.build]).toEqual([
      [{ do: 'run', command: nasty }],
      { do: 'run', command: nasty },
    ]);
    expect(await seen(builder, 'build-0/Dockerfile')).not.toContain('pwned');
    for (const { tool, args } of ended.calls) expect([tool, ...args].join(' ')).not.toContain('pwned');
    const everything = await readdir(builder.folder, { recursive: true });
    expect(everything.filter((name) => name.endsWith('/pwned') || name === 'pwned')).toEqual([]);
  });

  it('of a file’s name that is reported is shown, never run', async () => {
    const configPath = `$(touch pwned)\`touch pwned\`'.json`;
    const { builder, ended } = await built({ Dockerfile: 'FROM x' }, { configPath });
    expectReason(ended, `Config file '${configPath}' does not exist in the source`);
    expect(await readdir(join(builder.folder, 'cwd'))).toEqual([]);
  });
});
