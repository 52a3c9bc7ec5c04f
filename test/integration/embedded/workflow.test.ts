import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openWorkflow, type TaskHandler } from '../../../lib/embedded/workflow/open.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { until } from '../../support/until.ts';

const definition = readFileSync(new URL('../../../statemachines/revision.asl.json', import.meta.url), 'utf8');
const input = { tenantId: 't', deploymentId: 'd', revisionId: 'r', attempt: 1 };
const noWait = { Prepare: 1, Build: 1, Deploy: 1, Finish: 1 };

type Call = { state: string; payload: Record<string, unknown> };

/** The real state machine with handlers that record their calls; each may be replaced. */
async function workflow(
  handlers: Partial<Record<string, TaskHandler>> = {},
  text = definition,
  folder?: string,
) {
  const calls: Call[] = [];
  const recorded = (state: string, answer: TaskHandler): TaskHandler => {
    return async (payload) => {
      // Every payload of these states is an object.
      calls.push({ state, payload: payload as Record<string, unknown> });
      return answer(payload);
    };
  };
  const of = (state: string, usual: TaskHandler) => recorded(state, handlers[state] ?? usual);
  const opened = openWorkflow({
    definition: text,
    namesFile: join(folder ?? (await temporaryFolder()), 'executions.db'),
    now: () => Date.now(),
    retryMilliseconds: noWait,
    handlers: {
      Prepare: of('Prepare', async () => ({ path: 'build' })),
      Build: of('Build', async () => undefined),
      Deploy: of('Deploy', async () => undefined),
      Finish: of('Finish', async () => undefined),
    },
  });
  let closed = false;
  const close = async () => {
    if (!closed) await opened.close();
    closed = true;
  };
  onTestFinished(close);
  const called = (state: string, times = 1) =>
    until(() => calls.filter((call) => call.state === state)[times - 1], {
      what: `${state} to be called`,
    });
  const token = async (state: string, times = 1) => String((await called(state, times)).payload.token);
  const ended = (name: string) =>
    until(async () => (await opened.status(name)) !== 'running', {
      what: `${name} to end`,
    });
  return { opened, calls, called, token, ended, close };
}

describe('the way of an execution', () => {
  it('goes through all states when each stage is answered, in at most eight transitions', async () => {
    const { opened, calls, token, ended } = await workflow();
    expect(await opened.start('r-1', input)).toBe('started');
    const buildToken = await token('Build');
    expect(await opened.succeed(buildToken, { outcome: 'succeeded' })).toBe('answered');
    expect(await opened.succeed(await token('Deploy'), {})).toBe('answered');
    await ended('r-1');
    expect(calls.map((call) => call.state)).toEqual(['Prepare', 'Build', 'Deploy', 'Finish']);
    expect(calls[0]?.payload).toEqual(input);
    expect(calls[1]?.payload).toEqual({ ...input, token: buildToken, retry: 0 });
    expect(calls[3]?.payload).toMatchObject({ ...input, built: { outcome: 'succeeded' } });
    const history = await until(
      () => opened.history('r-1').at(-1)?.type === 'ExecutionSucceeded' && opened.history('r-1'),
      { what: 'the history' },
    );
    const entered = history.filter((entry) => entry.type === 'StateEntered').map((entry) => entry.state);
    expect(entered).toEqual(['Prepare', 'Route', 'Build', 'Deploy', 'Finish']);
  });

  it('can be answered before the function that took the token has returned', async () => {
    const inBuild = Promise.withResolvers<void>();
    const { opened, token, called, ended } = await workflow({ Build: () => inBuild.promise });
    await opened.start('r-1', input);
    expect(await opened.succeed(await token('Build'), {})).toBe('answered');
    await opened.succeed(await token('Deploy'), {});
    await called('Finish');
    await ended('r-1');
    inBuild.resolve();
  });
});

describe('names of executions', () => {
  it('run once: the same start again while running is harmless, another input or a closed one is refused', async () => {
    const { opened, calls, token, ended } = await workflow();
    await opened.start('r-1', input);
    expect(await opened.start('r-1', input)).toBe('started');
    expect(await opened.start('r-1', { ...input, revisionId: 'other' })).toBe('already_exists');
    await opened.fail(await token('Build'), { name: 'StageFailed', cause: 'no' });
    await ended('r-1');
    expect(await opened.start('r-1', input)).toBe('already_exists');
    expect(calls.filter((call) => call.state === 'Prepare')).toHaveLength(1);
  });

  it('stay taken after a restart, and what was running is closed', async () => {
    const folder = await temporaryFolder();
    const first = await workflow({}, definition, folder);
    await first.opened.start('r-1', input);
    const lost = await first.token('Build');
    expect(await first.opened.status('r-1')).toBe('running');
    await first.close();
    const second = await workflow({}, definition, folder);
    expect(await second.opened.status('r-1')).toBe('stopped');
    expect(await second.opened.status('r-2')).toBe('absent');
    expect(await second.opened.start('r-1', input)).toBe('already_exists');
    expect(await second.opened.succeed(lost, {})).toBe('gone');
  });

  it.each(['', 'a'.repeat(81), 'a b', 'a/b', 'a:b', 'a*', 'a\u0007'])('refuses %j', async (name) => {
    const { opened } = await workflow();
    await expect(opened.start(name, input)).rejects.toMatchObject({ name: 'InvalidName' });
    expect(await opened.start('a'.repeat(80), input)).toBe('started');
  });
});

describe('tokens', () => {
  it('are good for one answer', async () => {
    const { opened, token } = await workflow();
    await opened.start('r-1', input);
    const build = await token('Build');
    expect(await opened.succeed(build, {})).toBe('answered');
    expect(await opened.succeed(build, {})).toBe('gone');
    expect(await opened.fail(build, { name: 'X', cause: '' })).toBe('gone');
    expect(await opened.succeed('never seen', {})).toBe('gone');
  });

  it('are new at each attempt, and the older one is dead', async () => {
    let attempts = 0;
    const { opened, calls, called, token } = await workflow({
      Build: async () => {
        attempts += 1;
        if (attempts === 1) throw Object.assign(new Error('full'), { name: 'BuildsAtCapacity' });
      },
    });
    await opened.start('r-1', input);
    const [first, second] = [await token('Build', 1), await token('Build', 2)];
    expect(first).not.toBe(second);
    expect(await opened.succeed(first, {})).toBe('gone');
    expect(await opened.succeed(second, {})).toBe('answered');
    await called('Deploy');
    const retries = calls.flatMap(({ state, payload }) =>
      'retry' in payload ? [[state, payload.retry]] : [],
    );
    expect(retries).toEqual([
      ['Build', 0],
      ['Build', 1],
      ['Deploy', 0],
    ]);
  });

  it('die when the time of their state is over', async () => {
    const short = definition.replace('"TimeoutSeconds": 33000', '"TimeoutSeconds": 1');
    const { opened, token, called } = await workflow({}, short);
    await opened.start('r-1', input);
    const build = await token('Build');
    expect((await called('Finish')).payload.error).toMatchObject({ Error: 'States.Timeout' });
    expect(await opened.succeed(build, {})).toBe('gone');
  });
});

describe('errors', () => {
  it('of a function reach Finish by their name, with the cause that Lambda makes', async () => {
    class StepRefused extends Error {
      override name = 'StepRefused';
    }
    const { opened, called, ended } = await workflow({
      Prepare: async () => {
        throw new StepRefused('not now');
      },
    });
    await opened.start('r-1', input);
    const { payload } = await called('Finish');
    // The shape that Catch writes.
    const error = payload.error as { Error: string; Cause: string };
    expect(error.Error).toBe('StepRefused');
    const cause: unknown = JSON.parse(error.Cause);
    expect(cause).toMatchObject({ errorType: 'StepRefused', errorMessage: 'not now' });
    expect(cause).toHaveProperty('trace');
    await ended('r-1');
  });

  it('of an answer reach Finish as they were given', async () => {
    const { opened, token, called } = await workflow();
    await opened.start('r-1', input);
    await opened.fail(await token('Build'), { name: 'Interrupted', cause: 'by a person' });
    expect((await called('Finish')).payload.error).toEqual({ Error: 'Interrupted', Cause: 'by a person' });
  });

  it('that nothing catches close the execution', async () => {
    const { opened, calls, ended } = await workflow({
      Prepare: async () => ({ path: 'end' }),
      Finish: async () => {
        throw new Error('cannot');
      },
    });
    await opened.start('r-1', input);
    await ended('r-1');
    expect(calls.filter((call) => call.state === 'Finish')).toHaveLength(9);
  });
});

describe('payloads', () => {
  const large = 'x'.repeat(256 * 1024);

  it('over 256 KiB are refused as input and as answer', async () => {
    const { opened, token } = await workflow();
    await expect(opened.start('r-1', { ...input, tenantId: large })).rejects.toMatchObject({
      name: 'InvalidExecutionInput',
    });
    expect(await opened.status('r-1')).toBe('absent');
    await opened.start('r-1', input);
    const build = await token('Build');
    await expect(opened.succeed(build, { large })).rejects.toMatchObject({ name: 'InvalidOutput' });
    expect(await opened.succeed(build, {})).toBe('answered');
  });

  it('of a function over 256 KiB end the execution past every Catch', async () => {
    const { opened, calls, ended } = await workflow({ Prepare: async () => ({ path: 'build', large }) });
    await opened.start('r-1', input);
    await ended('r-1');
    expect(calls.map((call) => call.state)).toEqual(['Prepare']);
  });
});

it('refuses a machine that it could not run as Step Functions does', async () => {
  const without = definition.replaceAll(/"TimeoutSeconds": \d+,/g, '');
  await expect(workflow({}, without)).rejects.toThrow(/TimeoutSeconds/);
  const beating = definition.replaceAll('"TimeoutSeconds"', '"HeartbeatSeconds": 10, "TimeoutSeconds"');
  await expect(workflow({}, beating)).rejects.toThrow(/HeartbeatSeconds/);
  const other = definition.replaceAll('lambda:invoke.waitForTaskToken', 'sqs:sendMessage');
  await expect(workflow({}, other)).rejects.toThrow(/Resource/);
});
