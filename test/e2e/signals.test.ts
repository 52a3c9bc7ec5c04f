import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gitRepository } from '../support/git-repository.ts';
import { helloFiles, packageJson } from '../support/hello-server.ts';
import { type ProcessFacts, stillRunning } from '../support/processes.ts';
import {
  create,
  deployed,
  discard,
  ended,
  familyOf,
  helloFrom,
  type Program,
  revisionOf,
  revisionUntil,
  startProgram,
} from '../support/program.ts';
import { until } from '../support/until.ts';

/** What a person is told: everything has ended after so long, whatever the servers do. */
const STOP_MS_MAX = 10_000;

async function start(options: Parameters<typeof startProgram>[0] = {}): Promise<Program> {
  const program = await startProgram(options);
  onTestFinished(() => discard(program));
  return program;
}

const withBuild = (command: string) => ({ 'package.json': packageJson({ build: command }) });

/** A deployment that serves v1. */
async function serving(program: Program, files = helloFiles()) {
  const { url } = await gitRepository(await files);
  return deployed(program, await create(program, 'serving', url));
}

/** A deployment whose build runs, and never ends by itself. */
async function building(program: Program) {
  const { url } = await gitRepository(await helloFiles('v1', withBuild('sleep 86399')));
  const made = await create(program, 'building', url);
  await revisionUntil(program, made.id, made.latest_revision_id, (status) => status === 'BUILDING');
  const isCommand = ({ command }: ProcessFacts) => /\bsleep 86399\b/.test(command);
  await until(async () => (await familyOf(program)).some(isCommand), {
    timeoutMs: 20_000,
    what: 'the build command to run',
  });
  return made;
}

/** Waits until all of these have ended; there is little to wait for after an orderly stop. */
async function allGone(before: ProcessFacts[]): Promise<void> {
  let left: ProcessFacts[] = [];
  const isEmpty = async () => {
    left = await stillRunning(before);
    return left.length === 0;
  };
  await until(isEmpty, { timeoutMs: STOP_MS_MAX, what: 'every process to end' }).catch(() => undefined);
  expect(left.map(({ command }) => command)).toEqual([]);
}

const hasStopped = (program: Program) => program.output().includes('slipway: stopped');

describe('with a server and a build running', { timeout: 60_000 }, () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends everything, and the next start serves again on the same URL',
    async (signal) => {
      const program = await start();
      const deployment = await serving(program);
      const unbuilt = await building(program);
      const before = await familyOf(program);
      const startedAt = performance.now();
      expect(await program.stop(signal)).toBe(0);
      const tookMs = Math.round(performance.now() - startedAt);
      expect((await stillRunning(before)).map(({ command }) => command)).toEqual([]);
      process.stdout.write(`${signal}: stop_ms=${tookMs}\n`);
      expect(tookMs).toBeLessThan(STOP_MS_MAX);
      expect(hasStopped(program)).toBe(true);

      const again = await start({ dataFolder: program.dataFolder });
      const isServing = async () => (await helloFrom(deployment).catch(() => undefined))?.version === 'v1';
      await until(isServing, { timeoutMs: 20_000, what: 'the deployment to serve again' });
      const { status, status_message } = await ended(again, unbuilt.id, unbuilt.latest_revision_id);
      expect([status, status_message]).toEqual([
        'BUILD_FAILED',
        expect.stringMatching(/^The build was lost/),
      ]);
      const revision = await revisionOf(again, deployment.id, deployment.latest_revision_id);
      expect(revision.status).toBe('DEPLOYED');
    },
  );
});

/** Every way in which a program that npm runs is told to end: by a supervisor, from the keyboard, by a closed terminal. */
const npmEndings = [
  { what: 'SIGTERM to npm alone', signal: 'SIGTERM', group: false },
  { what: 'SIGINT to npm alone', signal: 'SIGINT', group: false },
  {
    what: 'Ctrl-C, which is SIGINT to npm and the program, and npm hands its own on',
    signal: 'SIGINT',
    group: true,
  },
  { what: 'a closed terminal, which is SIGHUP to both', signal: 'SIGHUP', group: true },
] as const;

describe('npm start', { timeout: 60_000 }, () => {
  it.each(npmEndings)('ends in order, with nothing left, after $what', async ({ signal, group }) => {
    const program = await start({ command: ['npm', 'start'] });
    await serving(program);
    const before = await familyOf(program);
    const { pid = 0 } = program.process;
    const exited = once(program.process, 'exit');
    const startedAt = performance.now();
    process.kill(group ? -pid : pid, signal);
    await exited;
    await allGone(before);
    expect(performance.now() - startedAt).toBeLessThan(STOP_MS_MAX);
    expect(hasStopped(program)).toBe(true);
    expect(program.output()).not.toContain('stopping at once');
  });
});

describe('a server that ignores SIGTERM', { timeout: 60_000 }, () => {
  const stubborn = async () => {
    const files = await helloFiles();
    return {
      ...files,
      'server.js': `${files['server.js']}\nprocess.removeAllListeners('SIGTERM').on('SIGTERM', () => {});\n`,
    };
  };

  it('holds up an orderly stop for its grace only', async () => {
    const program = await start();
    await serving(program, stubborn());
    const before = await familyOf(program);
    const startedAt = performance.now();
    expect(await program.stop()).toBe(0);
    const tookMs = Math.round(performance.now() - startedAt);
    process.stdout.write(`stubborn server: stop_ms=${tookMs}\n`);
    expect(tookMs).toBeLessThan(STOP_MS_MAX);
    expect(await stillRunning(before)).toEqual([]);
  });

  it('is not waited for after a second signal', async () => {
    const program = await start();
    await serving(program, stubborn());
    const before = await familyOf(program);
    const child = program.process;
    // As a person who presses the keys again and again.
    const isOver = () => !child.kill('SIGTERM') || child.exitCode !== null;
    await until(isOver, { timeoutMs: STOP_MS_MAX, what: 'the program to end' });
    expect([child.exitCode, hasStopped(program)]).toEqual([1, false]);
    expect(program.output()).toContain('SIGTERM again: stopping at once');
    await allGone(before);
  });
});
