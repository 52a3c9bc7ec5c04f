import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Database } from '../../../lib/agent-runtime/tables/database.ts';
import { cancelRun, findRun } from '../../../lib/agent-runtime/tables/runs.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { until } from '../../support/until.ts';
import { type AgentServer, ask, newProject, type ServerOptions, startAgentServer } from './agent-server.ts';

const processes = new ProcessSupervisor();
let postgres: TestPostgres;
let folder: string;
let options: ServerOptions;
let server: AgentServer;
let database: Database;

const stepsFile = (): string => join(folder, 'steps.txt');
const hold = (): string => `${stepsFile()}.hold-s2`;

beforeAll(async () => {
  [postgres, folder] = await Promise.all([startTestPostgres(processes), newProject(processes)]);
  const databaseUri = await postgres.freshDatabase();
  const environment = { STEPS_FILE: stepsFile(), STEP_SECONDS: '0' };
  options = { folder, databaseUri, environment, configFile: 'langgraph-held.json' };
  server = await startAgentServer(processes, options);
  database = new Database(databaseUri);
});
beforeEach(async () => {
  await writeFile(stepsFile(), '');
  await rm(hold(), { force: true });
});
afterAll(async () => {
  await processes.close();
  await database.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, body: object) => ask(server, 'POST', path, body);

type Graph = 'approve_held' | 'asks_held';

async function waited(graph: Graph, threadId: string, body: object): Promise<unknown> {
  const { text } = await post(`/threads/${threadId}/runs/wait`, { assistant_id: graph, ...body });
  return JSON.parse(text);
}

/** A thread that waits for an answer. */
async function waitingThread(graph: Graph): Promise<string> {
  const { text } = await post('/threads', {});
  const { thread_id: threadId } = z.object({ thread_id: z.string() }).parse(JSON.parse(text));
  await waited(graph, threadId, { input: { steps: [], messages: [] } });
  return threadId;
}

/** One that has had its first question answered with `first`, and waits at the second. */
async function askedAgain(): Promise<string> {
  const threadId = await waitingThread('asks_held');
  const asked = await waited('asks_held', threadId, { command: { resume: 'first' } });
  expect(asked).toMatchObject({ __interrupt__: [{ value: 'two?' }] });
  return threadId;
}

/** A run that has given an answer, and is held in the step after that. */
async function answered(graph: Graph, threadId: string): Promise<string> {
  await writeFile(hold(), '');
  const body = { assistant_id: graph, command: { resume: 'old' } };
  const { text } = await post(`/threads/${threadId}/runs`, body);
  await until(() => readFileSync(stepsFile(), 'utf8').includes(' s2'), { what: 'the step after the answer' });
  return z.object({ run_id: z.string() }).parse(JSON.parse(text)).run_id;
}

async function rollBack(threadId: string, runId: string): Promise<void> {
  await post(`/threads/${threadId}/runs/${runId}/cancel?action=rollback&wait=true`, {});
  await rm(hold());
}

/** What its runs have left of a thread; not what the worker keeps for itself. */
const writesOf = (threadId: string): Promise<object[]> =>
  database.query(
    `select checkpoint_ns, checkpoint_id, task_id, idx, channel, type, encode(blob, 'hex') as blob, task_path
    from lg.checkpoint_writes where thread_id = $1 and checkpoint_ns <> '__slipway__'
    order by checkpoint_ns, checkpoint_id, task_id, idx`,
    [threadId],
  );

/** Who removes a run waits for a lock that the test has. */
const HOLD_REMOVAL = `
create function rt.hold_removal() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1);
  return old;
end $$;
create trigger runs_hold_removal before delete on rt.runs for each row execute function rt.hold_removal();`;

const other = { command: { resume: 'new' } };

describe('the rollback of a run that has answered a question', () => {
  test('takes the answer back: no later run gets it', async () => {
    const threadId = await waitingThread('approve_held');
    await rollBack(threadId, await answered('approve_held', threadId));
    const again = await waited('approve_held', threadId, { input: null });
    expect(again).toMatchObject({ steps: [], __interrupt__: [{ value: 'ok?' }] });
    expect(await waited('approve_held', threadId, other)).toMatchObject({ steps: ['approve:new', 's2'] });
  });

  test('leaves earlier answers', async () => {
    const threadId = await askedAgain();
    const before = await writesOf(threadId);
    await rollBack(threadId, await answered('asks_held', threadId));
    expect(await writesOf(threadId)).toEqual(before);
    expect(await waited('asks_held', threadId, other)).toMatchObject({ steps: ['asks:first:new', 's2'] });
  });

  test('comes to the same when its server is killed after the answer, and before the run is removed', async () => {
    const threadId = await askedAgain();
    const before = await writesOf(threadId);
    const runId = await answered('asks_held', threadId);
    await processes.stop(server.group, 0);
    await cancelRun(database, { threadId, runId }, 'rollback');
    await database.query(HOLD_REMOVAL);
    await database.transaction(async (query) => {
      await query('set local idle_in_transaction_session_timeout = 0');
      await query('select pg_advisory_xact_lock(1)');
      server = await startAgentServer(processes, options);
      const isBack = async () => isDeepStrictEqual(await writesOf(threadId), before);
      await until(isBack, { what: 'its checkpoints to be dropped' });
      await processes.stop(server.group, 0);
    });
    expect(await findRun(database, runId)).toMatchObject({ status: 'running' });
    server = await startAgentServer(processes, options);
    await until(async () => (await findRun(database, runId)) === undefined, { what: 'its end' });
    await rm(hold());
    expect(await writesOf(threadId)).toEqual(before);
    expect(await waited('asks_held', threadId, other)).toMatchObject({ steps: ['asks:first:new', 's2'] });
  });
});
