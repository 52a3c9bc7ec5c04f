import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { childEnvironment } from '../../lib/processes/environment.ts';
import type { ProcessGroup } from '../../lib/processes/group.ts';
import { RELEASE_ENVIRONMENT } from '../support/aws/earlier-release.ts';
import { say } from '../support/run/progress.ts';
import { until } from '../support/until.ts';
import { clientConfig } from './aws-environment.ts';
import { BuildService } from './builds.ts';
import { root } from './emulator.ts';
import { closeGround, type Ground, openGround, variablesOf } from './installation.ts';
import { finishAsFolder, finishAsImage } from './play-builds.ts';

/** Deployments take minutes on a busy machine, each synthesises the app first, and a run has four of them. */
const RUN_TIMEOUT_MS = 3_600_000;

vi.setConfig({ testTimeout: RUN_TIMEOUT_MS });

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
});

afterAll(async () => {
  expect(await closeGround(ground)).toEqual([]);
});

type Verifying = { group: ProcessGroup; printed(): string; name(): Promise<string> };

/** Starts the program as an operator does. */
function start(...args: string[]): Verifying {
  const lines: string[] = [];
  const variables = { ...variablesOf(ground.emulator), HOME: ground.folder, TMPDIR: ground.folder };
  const group = ground.processes.start({
    command: process.execPath,
    args: [join(root, 'test/verify/main.ts'), ...args],
    cwd: root,
    environment: childEnvironment(variables),
    onLine: ({ line }) => {
      lines.push(line);
      say(`verify: ${line}`);
    },
  });
  const printed = () => lines.join('\n');
  const name = () =>
    until(() => /Environment (verify-\S+) in account/.exec(printed())?.[1], {
      timeoutMs: RUN_TIMEOUT_MS,
      what: 'the name of the environment',
    });
  return { group, printed, name };
}

type Finish = typeof finishAsFolder;

/** Ends the builds of an environment as CodeBuild does, until the program has ended. Gives their number. */
async function playBuildsOf(environment: string, { group }: Verifying, finish: Finish): Promise<number> {
  const builds = new BuildService(ground.emulator, environment);
  for (let ended = 0; ; ended += 1) {
    const build = await until(
      // Until it is deployed there is no project.
      async () => group.exit ?? (await builds.next().catch(() => undefined)),
      { timeoutMs: RUN_TIMEOUT_MS, what: 'the program to end' },
    );
    if (!('jobKey' in build)) return ended;
    await finish(ground, builds, build);
  }
}

/** Of the environment of this run, and of the one that an earlier release is deployed to. */
async function playBuilds(
  verifying: Verifying,
  finish = finishAsFolder,
): Promise<[own: number, upgraded: number]> {
  return Promise.all([
    playBuildsOf(await verifying.name(), verifying, finish),
    playBuildsOf(RELEASE_ENVIRONMENT, verifying, finish),
  ]);
}

/** What of an environment is in the account: its stacks and its functions. */
async function madeFor(name: string): Promise<string[]> {
  const config = clientConfig(ground.emulator);
  const stacks = new CloudFormationClient(config);
  const functions = new LambdaClient(config);
  const { StackSummaries = [] } = await stacks.send(new ListStacksCommand({}));
  const { Functions = [] } = await functions.send(new ListFunctionsCommand({}));
  return [
    ...StackSummaries.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(
      (one) => one.StackName,
    ),
    ...Functions.map((one) => one.FunctionName),
  ].filter((each): each is string => each?.startsWith(`slipway-${name}`) === true);
}

const UNSEEN = [
  'AWS itself: AWS_ENDPOINT_URL leads to an emulator',
  'builds: an emulator makes none, and whoever runs it stands in for them',
  'a repository with a submodule: that of --repo has none, or nothing was built',
  'that the metrics of AWS set an alarm off: its state was set by hand',
  'throttling: an emulator lets everything through',
  'what the table consumed: CloudWatch has no figures of it',
];

const UNSEEN_ON_FARGATE = [
  ...UNSEEN.slice(0, 2),
  'that what was kept works on beside an application made anew: without --compute it is seen',
  'CloudFront: an emulator leads it nowhere, and the balancer behind it was asked',
  'that load starts a second server: an emulator measures none',
  ...UNSEEN.slice(3, 5),
  'a build of a git repository, and of its submodules: none was given with --repo',
  'a server on arm64: an emulator starts it on this machine',
  ...UNSEEN.slice(5),
];

describe('npm run verify:aws', () => {
  it('removes what a deploy has made that fails half way, and says what failed', async () => {
    await ground.emulator.failOnce('AWS::ApiGatewayV2::Stage');
    const verifying = start();
    expect(await verifying.group.exited).toMatchObject({ code: 1 });
    expect(verifying.printed()).toMatch(/^FAILED: cdk deploy --all: /m);
    expect(verifying.printed()).toMatch(/Rate exceeded|ROLLBACK/);
    expect(await madeFor(await verifying.name())).toEqual([]);
  });

  it('deploys, uses, destroys and deploys again an environment of its own, and leaves nothing', async () => {
    const repository = ['--repo', 'ssh://git@git.example.com/team/hello.git'];
    const verifying = start('--stream-seconds', '60', ...repository);
    expect(await playBuilds(verifying)).toEqual([6, 2]);
    expect(await verifying.group.exited).toMatchObject({ code: 0 });
    expect(verifying.printed()).not.toContain('FAILED');
    const unseen = verifying.printed().matchAll(/^not seen: (.+)$/gm);
    expect([...unseen].map(([, what]) => what)).toEqual(UNSEEN);
    // The emulator's builds begin at whole seconds, so that one may count with the step before. An execution
    // ends after its revision: its last transition may count with the step after.
    expect(verifying.printed()).toMatch(/^ +build a tarball and run it here +\S+ +\d+ +\d+ +\S+ +[67] /m);
    expect(verifying.printed()).toMatch(/^ +what was kept works on +\S+ +\d+ +\d+ +\S+ +[56] /m);
    expect(verifying.printed()).toMatch(
      /^ +change what it deployed, and delete it +\S+ +\d+ +\d+ +\S+ +[67] /m,
    );
    expect(verifying.printed()).toMatch(/^ +together +\S+ +\d+ +\d+ +\S+ +68 +8 +\d+ /m);
    expect(verifying.printed()).toMatch(/^\d+ requests while one revision replaced another: 0 failed$/m);
    expect(await madeFor(RELEASE_ENVIRONMENT)).toEqual([]);
    expect(await madeFor(await verifying.name())).toEqual([]);
  });

  it('takes an agent to Fargate, changes it, goes back and deletes it, and leaves nothing', async () => {
    const secrets = join(ground.folder, 'secrets');
    await writeFile(
      secrets,
      '# Nothing of it is reached here.\nPOSTGRES_URI_CUSTOM=postgres://db/a\nREDIS_URI_CUSTOM=redis://db/0\n',
    );
    const verifying = start('--compute', 'fargate', '--stream-seconds', '60', '--secrets', secrets);
    expect(await playBuilds(verifying, finishAsImage)).toEqual([5, 2]);
    expect(await verifying.group.exited).toMatchObject({ code: 0 });
    expect(verifying.printed()).not.toContain('FAILED');
    const unseen = verifying.printed().matchAll(/^not seen: (.+)$/gm);
    expect([...unseen].map(([, what]) => what)).toEqual(UNSEEN_ON_FARGATE);
    expect(verifying.printed()).toMatch(
      /^Fargate: \d+ minutes of at most 2 balancers and 4 servers, at most \$\d\.\d{4}$/m,
    );
    expect(await madeFor(await verifying.name())).toEqual([]);
  });

  it('removes the agents of a run that was killed, and all they had', async () => {
    const verifying = start('--compute', 'fargate');
    const playing = playBuilds(verifying, finishAsImage);
    await until(() => verifying.printed().includes('on Fargate: seen'), {
      timeoutMs: RUN_TIMEOUT_MS,
      what: 'an agent to answer',
    });
    await ground.processes.stop(verifying.group, 0);
    await playing;
    const name = await verifying.name();
    const cleaning = start('--clean', name);
    expect(await cleaning.group.exited).toMatchObject({ code: 0 });
    expect(await madeFor(name)).toEqual([]);
  });

  it('removes what a run has left that was killed', async () => {
    const verifying = start();
    const name = await verifying.name();
    await until(async () => (await madeFor(name)).length > 10, {
      timeoutMs: RUN_TIMEOUT_MS,
      what: 'some functions to be made',
    });
    await ground.processes.stop(verifying.group, 0);
    const cleaning = start('--clean', name);
    expect(await cleaning.group.exited).toMatchObject({ code: 0 });
    expect(await madeFor(name)).toEqual([]);
  });
});
