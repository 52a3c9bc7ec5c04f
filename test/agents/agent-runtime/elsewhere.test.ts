import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { type AgentServer, ask, newProject, startAgentServer } from './agent-server.ts';

const processes = new ProcessSupervisor();
const TOKEN = 'a token of the deployment';
const HEADERS = { authorization: `Bearer ${TOKEN}` };

let postgres: TestPostgres;
let folder: string;
/** Of a build that was replaced, and the one that serves: of the graph `human` it knows nothing. */
let [old, serving]: AgentServer[] = [];
let thread: string;

const at = async (
  server: AgentServer | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> => {
  if (server === undefined) throw new Error('the server has not started');
  const { status, text } = await ask(server, method, path, body, path.startsWith('/internal') ? HEADERS : {});
  return { status, body: text === '' ? undefined : JSON.parse(text) };
};
const newThread = async () =>
  z.object({ thread_id: z.string() }).parse((await at(serving, 'POST', '/threads', {})).body).thread_id;
const run = (server: AgentServer | undefined, threadId: string, body: object) =>
  at(server, 'POST', `/threads/${threadId}/runs/wait`, { assistant_id: 'human', ...body });

beforeAll(async () => {
  [postgres, folder] = await Promise.all([startTestPostgres(processes), newProject(processes)]);
  const databaseUri = await postgres.freshDatabase();
  const graphs = { chat: './graphs.py:chat' };
  await writeFile(join(folder, 'later.json'), JSON.stringify({ dependencies: ['.'], graphs }));
  const environment = { STEPS_FILE: join(folder, 'steps.txt'), SLIPWAY_INTERNAL_TOKEN: TOKEN };
  const options = { folder, databaseUri, environment };
  old = await startAgentServer(processes, options);
  serving = await startAgentServer(processes, { ...options, buildId: 'b', configFile: 'later.json' });
  thread = await newThread();
  expect(await run(old, thread, { input: { steps: [] } })).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await postgres.stop();
  await processes.close();
  await rm(folder, { recursive: true, force: true });
});

test('an assistant whose graph is gone stays readable, by its id and by the name of its graph', async () => {
  const { status, body } = await at(serving, 'GET', '/assistants/human');
  expect({ status, body }).toMatchObject({ status: 200, body: { graph_id: 'human' } });
  const { assistant_id: id } = z.object({ assistant_id: z.string() }).parse(body);
  expect(await at(serving, 'GET', `/assistants/${id}`)).toEqual({ status: 200, body });
});

test('new runs of it are refused, naming the revisions that have its graph', async () => {
  const refused = {
    status: 422,
    body: {
      detail: expect.stringMatching(
        /of graph 'human', which revision revision-of-b has not; it has: chat\. Revisions that have 'human': revision-of-a\.$/,
      ),
    },
  };
  expect(await run(serving, await newThread(), { input: { steps: [] } })).toMatchObject(refused);
  expect(await at(serving, 'GET', '/assistants/human/graph')).toMatchObject(refused);
  expect(await run(serving, await newThread(), { assistant_id: 'none', input: {} })).toMatchObject({
    status: 404,
  });
});

test('the server says that a release would lose the thread, and that it has no such graph', async () => {
  expect(await at(serving, 'GET', '/internal/release')).toEqual({
    status: 200,
    body: { lost: [{ graph_id: 'human', node: null, threads: 1 }], unknown: [] },
  });
  expect(await at(old, 'GET', '/internal/release')).toEqual({
    status: 200,
    body: { lost: [], unknown: [] },
  });
});

test('a thread that waits for its build shows state and history, and is answered by it', async () => {
  const [state, known] = [
    await at(serving, 'GET', `/threads/${thread}/state`),
    await at(old, 'GET', `/threads/${thread}/state`),
  ];
  expect(state).toMatchObject({ status: 200, body: { next: ['approve'] } });
  expect(state).toEqual(known);
  const history = await at(serving, 'POST', `/threads/${thread}/history`, { limit: 5 });
  expect(history).toEqual(await at(old, 'POST', `/threads/${thread}/history`, { limit: 5 }));
  expect(history).toMatchObject({ status: 200, body: expect.arrayContaining([expect.anything()]) });
  const checkpoints = z.array(z.object({ checkpoint_id: z.string() })).parse(history.body);
  const earlier = `/threads/${thread}/state/${checkpoints[1]?.checkpoint_id}`;
  expect(await at(serving, 'GET', earlier)).toEqual(await at(old, 'GET', earlier));
  const answered = await run(serving, thread, { command: { resume: 'yes' } });
  expect(answered).toMatchObject({ status: 200, body: { steps: expect.arrayContaining(['paid']) } });
});

test('a change of its state is made by its build, and leaves it waiting there', async () => {
  const waiting = await newThread();
  await run(old, waiting, { input: { steps: [] } });
  const values = { steps: ['by hand'] };
  const change = { values, as_node: 's1' };
  expect(await at(serving, 'POST', `/threads/${waiting}/state`, change)).toMatchObject({ status: 200 });
  const state = await at(serving, 'GET', `/threads/${waiting}/state`);
  expect(state).toMatchObject({
    body: { next: ['approve'], values: { steps: expect.arrayContaining(['by hand']) } },
  });
  const answered = await run(serving, waiting, { command: { resume: 'yes' } });
  expect(answered).toMatchObject({
    status: 200,
    body: { steps: expect.arrayContaining(['by hand', 'paid']) },
  });
});

test('a thread that was let go is the serving build’s, whose graph it then lacks', async () => {
  const waiting = await newThread();
  await run(old, waiting, { input: { steps: [] } });
  expect(await at(serving, 'POST', '/internal/release', { revisions: ['revision-of-a'] })).toEqual({
    status: 200,
    body: { threads: 1 },
  });
  expect(await run(serving, waiting, { command: { resume: 'yes' } })).toMatchObject({ status: 422 });
  const gone = { reason: 'is not on this machine any more', runs: true };
  expect(await at(serving, 'POST', '/internal/expire', { ...gone, build_id: 'b' })).toMatchObject({
    status: 409,
  });
  expect(await at(serving, 'POST', '/internal/expire', { ...gone, build_id: 'a' })).toEqual({
    status: 200,
    body: { expired: [] },
  });
});
