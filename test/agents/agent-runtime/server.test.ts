import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Database } from '../../../lib/agent-runtime/tables/database.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { until } from '../../support/until.ts';
import {
  type AgentServer,
  ask,
  followed,
  killWorkerOf,
  newProject,
  type ServerOptions,
  startAgentServer,
} from './agent-server.ts';

const processes = new ProcessSupervisor();
const TOKEN = 'a token of the deployment';
const HEADERS = { authorization: `Bearer ${TOKEN}` };
const EIGHT = ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'];
const INPUT = { steps: [], messages: [{ role: 'user', content: 'hey' }] };

let postgres: TestPostgres;
let folder: string;
let options: ServerOptions;
let server: AgentServer;
let database: Database;

const stepsFile = (): string => join(folder, 'steps.txt');

beforeAll(async () => {
  [postgres, folder] = await Promise.all([startTestPostgres(processes), newProject(processes)]);
  const databaseUri = await postgres.freshDatabase();
  const environment = { STEPS_FILE: stepsFile(), SLIPWAY_INTERNAL_TOKEN: TOKEN };
  options = { folder, databaseUri, environment };
  server = await startAgentServer(processes, options);
  database = new Database(databaseUri);
});
beforeEach(async () => {
  await writeFile(stepsFile(), '');
});
afterAll(async () => {
  await processes.close();
  await database.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const ids = z.object({ thread_id: z.string(), run_id: z.string() });
const state = z.object({
  next: z.array(z.string()),
  values: z.object({ steps: z.array(z.unknown()), messages: z.array(z.unknown()) }),
  interrupts: z.array(z.object({ value: z.unknown() })),
});

const post = (path: string, body: unknown, headers = {}) => ask(server, 'POST', path, body, headers);

async function newThread(): Promise<string> {
  const { text } = await post('/threads', {});
  return z.object({ thread_id: z.string() }).parse(JSON.parse(text)).thread_id;
}

async function startRun(graph: string, more: object = {}): Promise<z.infer<typeof ids>> {
  const body = { assistant_id: graph, input: INPUT, ...more };
  const { text } = await post(`/threads/${await newThread()}/runs`, body);
  return ids.parse(JSON.parse(text));
}

const pathOf = ({ thread_id: thread, run_id: run }: z.infer<typeof ids>): string =>
  `/threads/${thread}/runs/${run}`;

/** While Postgres is away the server says so. */
async function statusOf(run: z.infer<typeof ids>): Promise<string> {
  const { status, text } = await ask(server, 'GET', pathOf(run));
  if (status === 503) return 'pending';
  return z.object({ status: z.string() }).parse(JSON.parse(text)).status;
}

const stateOf = async (thread: string): Promise<z.infer<typeof state>> =>
  state.parse(JSON.parse((await ask(server, 'GET', `/threads/${thread}/state`)).text));

/** The steps that have really run. */
const stepsRun = (): string[] =>
  readFileSync(stepsFile(), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ')[1] ?? '');

const untilStep = (name: string): Promise<boolean> =>
  until(() => stepsRun().includes(name), { what: `step ${name} to run, after ${stepsRun().join(', ')}` });

/** Starts eight steps, and holds the run in the fourth. */
async function startHeld(
  more: object = {},
): Promise<{ run: z.infer<typeof ids>; release: () => Promise<void> }> {
  const hold = `${stepsFile()}.hold-s4`;
  await writeFile(hold, '');
  const run = await startRun('steps', more);
  return { run, release: () => rm(hold) };
}

/** Waits for the end of a run, whichever server has it. */
async function untilEnded(run: z.infer<typeof ids>): Promise<string> {
  let status = '';
  await until(
    async () => {
      status = await statusOf(run);
      return status !== 'pending' && status !== 'running';
    },
    { what: () => `run ${run.run_id} to end; it is ${status}` },
  );
  return status;
}

/** Every step has run, in order; the fourth was done twice if it was in hand. */
function expectSteps({ repeated }: { repeated: number }): void {
  const again = EIGHT.slice(3, 3 + repeated);
  expect(stepsRun()).toEqual([...EIGHT.slice(0, 4), ...again, ...EIGHT.slice(4)]);
}

async function expectWhole(run: z.infer<typeof ids>): Promise<void> {
  expect(await untilEnded(run)).toBe('success');
  const { values, next } = await stateOf(run.thread_id);
  expect(next).toEqual([]);
  expect(values.steps).toEqual(EIGHT);
  // The input was applied once.
  expect(values.messages).toHaveLength(1);
}

describe('documents', () => {
  test('come back as they were sent', async () => {
    const input = '{"steps":[9007199254740993, 1.0, "\\u0000", "ü", {"10":1,"2":[]}], "messages": []}';
    const thread = await newThread();
    await post(`/threads/${thread}/runs/wait`, `{"assistant_id":"chat", "input":${input}}`);
    const { text } = await ask(server, 'GET', `/threads/${thread}/runs`);
    expect(text).toContain(`"input":${input}`);
    const { text: values } = await ask(server, 'GET', `/threads/${thread}`);
    expect(values).toContain('"steps":[9007199254740993,1.0,"\\u0000","ü",{"10":1,"2":[]},"talk"]');
  });
});

describe('a run goes on', () => {
  test('after its worker was killed, and at most one step is done twice', async () => {
    const { run, release } = await startHeld();
    await untilStep('s4');
    killWorkerOf(server);
    await release();
    await expectWhole(run);
    expectSteps({ repeated: 1 });
  });

  test('after its server was killed, and at most one step is done twice', async () => {
    const { run, release } = await startHeld();
    await untilStep('s4');
    await processes.stop(server.group, 0);
    await release();
    server = await startAgentServer(processes, options);
    await expectWhole(run);
    expectSteps({ repeated: 1 });
  });

  test('after its server was stopped, and no step is done twice; its stream goes on where it was cut', async () => {
    const { run, release } = await startHeld({ stream_mode: ['updates'], stream_resumable: true });
    const first = followed(`${server.url}${pathOf(run)}/stream`, '0');
    await untilStep('s4');
    const stopped = processes.stop(server.group, 60_000);
    await until(async () => !(await fetch(`${server.url}/ready`).catch(() => undefined))?.ok, {
      what: 'the server to stop taking requests',
    });
    await release();
    await stopped;
    expect(await server.group.exited).toMatchObject({ code: 0 });
    const { updates, last, isWhole } = await first;
    expect(isWhole).toBe(false);
    server = await startAgentServer(processes, options);
    const rest = await followed(`${server.url}${pathOf(run)}/stream`, last);
    expect(rest.isWhole).toBe(true);
    expect([...updates, ...rest.updates]).toEqual(EIGHT);
    await expectWhole(run);
    expectSteps({ repeated: 0 });
  });

  test('after its server was asked to stop twice, which is no kill', async () => {
    const { run, release } = await startHeld();
    await untilStep('s4');
    const { pid = 0, exited } = server.group;
    process.kill(pid, 'SIGTERM');
    await until(async () => !(await fetch(`${server.url}/ready`).catch(() => undefined))?.ok, {
      what: 'the server to stop taking requests',
    });
    process.kill(pid, 'SIGTERM');
    await release();
    expect(await exited).toMatchObject({ code: 0 });
    server = await startAgentServer(processes, options);
    await expectWhole(run);
    expectSteps({ repeated: 0 });
  });

  test('after Postgres was away, which is no failure of the run', async () => {
    const { run, release } = await startHeld();
    await untilStep('s4');
    process.kill(postgres.server.pid() ?? 0, 'SIGKILL');
    await release();
    await expectWhole(run);
    // None if Postgres was there again when the step came to its end.
    const repeated = stepsRun().length - EIGHT.length;
    expect(repeated).toBeLessThanOrEqual(1);
    expectSteps({ repeated });
    const rows = await database.query<{ failures: number }>(
      'select failures from rt.runs where run_id = $1',
      [run.run_id],
    );
    expect(rows).toEqual([{ failures: 0 }]);
  });

  test('by its new holder alone: the worker of the old one writes nothing any more', async () => {
    const { run, release } = await startHeld();
    await untilStep('s4');
    const lease = (end: string) =>
      `update rt.runs set lease_owner = gen_random_uuid(), epoch = epoch + 1, lease_until = ${end} where run_id = $1`;
    await database.query(lease("clock_timestamp() + interval '1 hour'"), [run.run_id]);
    const { text } = await ask(server, 'GET', `/threads/${run.thread_id}/history`);
    await release();
    await until(
      async () => (await ask(server, 'GET', '/metrics')).text.includes('slipway_server_runs_running 0'),
      {
        what: 'the server to leave a run that is no more its own',
      },
    );
    const { text: after } = await ask(server, 'GET', `/threads/${run.thread_id}/history`);
    const count = (history: string): number => z.array(z.unknown()).parse(JSON.parse(history)).length;
    expect(count(after) - count(text)).toBe(0);
    await database.query(lease("clock_timestamp() - interval '1 hour'"), [run.run_id]);
    await expectWhole(run);
    expectSteps({ repeated: 1 });
  });
});

describe('an answer to a question', () => {
  test('is not given to the next one, when its server ends before it has noted the end of the run', async () => {
    const run = await startRun('asks');
    await untilEnded(run);
    const body = { assistant_id: 'asks', command: { resume: 'first' } };
    const answer = ids.parse(JSON.parse((await post(`/threads/${run.thread_id}/runs`, body)).text));
    await untilEnded(answer);
    // As it was before the end was noted: the graph has stored its second question.
    await database.query("update rt.threads set status = 'busy' where thread_id = $1", [run.thread_id]);
    await database.query(
      `update rt.runs set status = 'pending', ready = true where run_id = $1 returning pg_notify('rt_wake', build_id)`,
      [answer.run_id],
    );
    expect(await untilEnded(answer)).toBe('success');
    const { interrupts } = await stateOf(run.thread_id);
    expect(interrupts.map(({ value }) => value)).toEqual(['two?']);
    expect(stepsRun()).toEqual(['first', 'first']);
  });
});

describe('a client that goes away', () => {
  const leave = async (): Promise<z.infer<typeof ids>> => {
    const thread = await newThread();
    const leaving = new AbortController();
    const body = { assistant_id: 'steps', input: INPUT, stream_mode: ['updates'], on_disconnect: 'cancel' };
    const stream = await fetch(`${server.url}/threads/${thread}/runs/stream`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const run = stream.headers.get('content-location')?.split('/').at(-1) ?? '';
    await untilStep('s2');
    leaving.abort();
    return { thread_id: thread, run_id: run };
  };

  test('cancels its run if it has said so', async () => {
    expect(await untilEnded(await leave())).toBe('interrupted');
  });

  test('does not while the server retires: a proxy closes its connections', async () => {
    expect(await post('/internal/retiring', {}, HEADERS)).toMatchObject({ status: 204 });
    expect(await untilEnded(await leave())).toBe('success');
    expect(await ask(server, 'GET', '/ready')).toMatchObject({ status: 503 });
    await processes.stop(server.group, 60_000);
    server = await startAgentServer(processes, options);
  });
});

describe('paths of the listener', () => {
  test('are there for its token alone', async () => {
    expect(await ask(server, 'GET', '/internal/demand')).toMatchObject({ status: 404 });
    const { status, text } = await ask(server, 'GET', '/internal/demand', undefined, HEADERS);
    expect(status).toBe(200);
    expect(
      z.object({ builds: z.array(z.unknown()), running: z.number() }).parse(JSON.parse(text)).running,
    ).toBe(0);
  });
});
