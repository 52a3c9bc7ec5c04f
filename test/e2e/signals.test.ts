import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gitRepositoryIn, type TestRepository } from '../support/files/git-repository.ts';
import type { Files } from '../support/files/write-files.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import { type ProcessFacts, stillRunning } from '../support/programs/processes.ts';
import {
  create,
  deployed,
  ended,
  expectApi,
  familyOf,
  helloFrom,
  newDataFolder,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/**
 * Every test starts the program anew on the same data: each is also the proof that the stop before it kept
 * everything.
 */
let folder: string;
let serving: ShownDeployment | undefined;
let building: { made: ShownDeployment } | undefined;

const start = async (more: Parameters<typeof startProgram>[0] = {}): Promise<Program> => {
  const program = await startProgram({ dataFolder: join(folder, 'data'), ...more });
  onTestFinished(async () => void (await program.stop()));
  return program;
};

async function repositoryOf(name: string, files: Files): Promise<TestRepository> {
  await mkdir(join(folder, name));
  return gitRepositoryIn(join(folder, name), files);
}

beforeAll(async () => {
  folder = await newDataFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

/**
 * What served serves again, on the URL of the first run (which deploys it), and what was being built is being
 * built again.
 */
async function isAsBefore(program: Program): Promise<void> {
  if (serving === undefined) {
    const { url } = await repositoryOf('serving', await helloFiles());
    serving = await deployed(program, await create(program, 'serving', url));
    return;
  }
  const deployment = serving;
  const isServing = async () => (await helloFrom(deployment).catch(() => undefined))?.version === 'v1';
  await until(isServing, { what: 'the deployment to serve again on its URL' });
  if (building === undefined) return;
  // It goes on, as often as the program is stopped in order, until somebody interrupts it.
  await commandRuns(program);
  const { id, latest_revision_id: unbuilt } = building.made;
  await expectApi(program, 'POST', `/v2/deployments/${id}/revisions/${unbuilt}/interrupt`, undefined, 200);
  expect((await ended(program, id, unbuilt)).status).toBe('INTERRUPTED');
}

/** Waits until the command of the build runs. */
async function commandRuns(program: Program): Promise<void> {
  const isCommand = ({ command }: ProcessFacts) => /\bsleep 86399\b/.test(command);
  const isRunning = async () => (await familyOf(program)).some(isCommand);
  await until(isRunning, { what: 'the build command to run' });
}

/** Makes a revision whose build never ends by itself, and waits until its command runs. */
async function startBuild(program: Program): Promise<ShownDeployment> {
  if (building === undefined) {
    const { url: repo_url } = await repositoryOf('building', await helloFiles());
    const source_config = { repo_url, build_command: 'sleep 86399' };
    building = { made: await create(program, 'building', repo_url, { source_config }) };
  } else {
    const change = { source_revision_config: { repo_ref: 'main' } };
    building.made = await patch(program, building.made.id, change);
  }
  const { made } = building;
  await revisionUntil(program, made.id, made.latest_revision_id, (status) => status === 'BUILDING');
  await commandRuns(program);
  return made;
}

/** Waits until all of these have ended. */
async function allGone(before: ProcessFacts[]): Promise<void> {
  let left: ProcessFacts[] = [];
  const isEmpty = async () => {
    left = stillRunning(before);
    return left.length === 0;
  };
  await until(isEmpty, { what: 'every process to end' }).catch(() => undefined);
  expect(left.map(({ command }) => command)).toEqual([]);
}

const hasSaid = (program: Program, words: string) => program.output().includes(words);
const STOPPED = 'slipway: stopped';
const AT_ONCE = 'stopping at once';

/**
 * Every way in which the program is told to end, itself or through npm: by a supervisor, from the keyboard,
 * by a closed terminal.
 */
const endings = [
  { what: 'SIGTERM', command: undefined, signal: 'SIGTERM', group: false },
  { what: 'SIGTERM to npm alone', command: ['npm', 'start'], signal: 'SIGTERM', group: false },
  {
    what: 'Ctrl-C: SIGINT to npm and the program, and npm hands its own on',
    command: ['npm', 'start'],
    signal: 'SIGINT',
    group: true,
  },
  { what: 'a closed terminal: SIGHUP to both', command: ['npm', 'start'], signal: 'SIGHUP', group: true },
] as const;

describe('with a server and a build running', () => {
  it.each(endings)(
    'everything ends in order after $what; the next start serves again and builds again what was being built',
    async ({ command, signal, group }) => {
      const program = await start(command === undefined ? {} : { command });
      await isAsBefore(program);
      await startBuild(program);
      const before = await familyOf(program);
      const { pid = 0 } = program.process;
      const exited = once(program.process, 'exit');
      const startedAt = performance.now();
      process.kill(group ? -pid : pid, signal);
      const [code]: unknown[] = await exited;
      if (command === undefined) {
        expect(code).toBe(0);
        expect(stillRunning(before).map((one) => one.command)).toEqual([]);
      }
      await allGone(before);
      process.stdout.write(`${signal}: stop_ms=${Math.round(performance.now() - startedAt)}\n`);
      // It says so only if it came to the end of its stop in the ten seconds that it gives itself.
      await until(() => hasSaid(program, STOPPED), { what: 'the program to say that it has stopped' });
      expect(hasSaid(program, AT_ONCE)).toBe(false);
    },
  );
});

describe('a server that ignores SIGTERM', () => {
  const ignoring = `\nprocess.removeAllListeners('SIGTERM').on('SIGTERM', () => undefined);\n`;

  it('is not waited for after a second signal, and holds up an orderly stop for its grace only', async () => {
    const program = await start();
    const files = await helloFiles();
    const { url } = await repositoryOf('ignoring', {
      ...files,
      'server.js': `${String(files['server.js'])}${ignoring}`,
    });
    const made = await deployed(program, await create(program, 'ignoring', url));
    const before = await familyOf(program);
    const child = program.process;
    // As a person who presses the keys again and again.
    const isOver = () => child.exitCode !== null || !child.kill('SIGTERM');
    await until(isOver, { what: 'the program to end' });
    await until(() => hasSaid(program, `SIGTERM again: ${AT_ONCE}`), { what: 'why it has ended' });
    expect([child.exitCode, hasSaid(program, STOPPED)]).toEqual([1, false]);
    await allGone(before);

    const again = await start();
    const isServing = async () => (await helloFrom(made).catch(() => undefined)) !== undefined;
    await until(isServing, { what: 'the server to run again' });
    const others = await familyOf(again);
    const startedAt = performance.now();
    // A stop that takes longer than ten seconds ends with 1.
    expect(await again.stop()).toBe(0);
    const tookMs = Math.round(performance.now() - startedAt);
    process.stdout.write(`a server that ignores SIGTERM: stop_ms=${tookMs}\n`);
    expect(stillRunning(others).map(({ command }) => command)).toEqual([]);
  });
});
