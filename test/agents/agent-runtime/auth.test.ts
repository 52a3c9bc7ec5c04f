import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { type AgentServer, ask, newProject, startAgentServer } from './agent-server.ts';

const processes = new ProcessSupervisor();
let postgres: TestPostgres;
let folder: string;
let server: AgentServer;

beforeAll(async () => {
  [postgres, folder] = await Promise.all([startTestPostgres(processes), newProject(processes)]);
  const databaseUri = await postgres.freshDatabase();
  server = await startAgentServer(processes, { folder, databaseUri, configFile: 'langgraph-auth.json' });
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const as = (name: string, method: string, path: string, body?: unknown) =>
  ask(server, method, path, body, { authorization: `Bearer ${name}` });
const thread = z.object({ thread_id: z.string(), metadata: z.record(z.string(), z.unknown()) });

async function threadOf(name: string): Promise<z.infer<typeof thread>> {
  const { text } = await as(name, 'POST', '/threads', { metadata: { topic: 'a' } });
  return thread.parse(JSON.parse(text));
}

test('a request that the project does not know is refused as the project says, but not the health', async () => {
  const response = await fetch(`${server.url}/threads/search`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(await response.json()).toEqual({ detail: 'Who are you?' });
  expect(await ask(server, 'GET', '/ok')).toMatchObject({ status: 200 });
});

test('threads are their owners alone, whatever is asked for', async () => {
  const { thread_id: id, metadata } = await threadOf('ann');
  expect(metadata).toEqual({ topic: 'a', owner: 'ann' });
  const seen = async (name: string, method: string, path: string, body?: unknown) =>
    (await as(name, method, `/threads/${id}${path}`, body)).status;
  expect(await seen('ann', 'GET', '')).toBe(200);
  expect(await seen('bob', 'GET', '')).toBe(404);
  expect(await seen('bob', 'PATCH', '', { metadata: { topic: 'b' } })).toBe(404);
  expect(await seen('bob', 'GET', '/state')).toBe(404);
  expect(await seen('bob', 'POST', '/runs/wait', { assistant_id: 'chat', input: {} })).toBe(404);
  const creating = { assistant_id: 'chat', input: {}, if_not_exists: 'create' };
  expect(await seen('bob', 'POST', '/runs/wait', creating)).toBe(404);
  expect(await seen('bob', 'DELETE', '')).toBe(404);
  const found = async (name: string, searched: object) =>
    (await as(name, 'POST', '/threads/count', { metadata: searched })).text;
  expect(await found('ann', { topic: 'a' })).toBe('1');
  expect(await found('bob', { topic: 'a' })).toBe('0');
  expect(await found('bob', { owner: 'ann' })).toBe('0');
});

test('a graph knows who asks, and a thread that a run makes is theirs', async () => {
  const { text } = await as('ann', 'POST', '/runs/wait', {
    assistant_id: 'whoami',
    input: { steps: [], messages: [] },
  });
  expect(z.object({ steps: z.array(z.string()) }).parse(JSON.parse(text)).steps).toEqual([
    'ann',
    'team of ann',
  ]);
  const kept = { assistant_id: 'chat', input: { steps: [], messages: [] }, on_completion: 'keep' };
  await as('cleo', 'POST', '/runs/wait', kept);
  expect((await as('cleo', 'POST', '/threads/count', {})).text).toBe('1');
});

test('whoever may read a run sees nothing of who has started it but the identity', async () => {
  const { thread_id: id } = await threadOf('ann');
  const input = '{"steps":[9007199254740993,1.0],"messages":[]}';
  const body = `{"assistant_id":"chat","input":${input},"stream_resumable":true,"stream_subgraphs":true,
    "stream_mode":["values","updates","messages-tuple","custom","tasks","checkpoints","debug","events"]}`;
  const created = await ask(server, 'POST', `/threads/${id}/runs`, body, { authorization: 'Bearer ann' });
  // What no handler has changed is as it was sent.
  expect(created.text).toContain(`"input":${input}`);
  const { run_id: runId } = z.object({ run_id: z.string() }).parse(JSON.parse(created.text));
  const paths = ['/join', '/stream', ''].map((path) => `/runs/${runId}${path}`);
  for (const path of [...paths, '/runs', '', '/state', '/history']) {
    const { status, text } = await as('guest', 'GET', `/threads/${id}${path}`);
    expect([path, status]).toEqual([path, 200]);
    expect([path, text.match(/t(?:oken|eam) of ann/)]).toEqual([path, null]);
  }
  const { text } = await as('guest', 'GET', `/threads/${id}/runs/${runId}`);
  expect(text).toContain('"langgraph_auth_user":{"identity":"ann"}');
  expect(text).toContain(`"input":${input}`);
});

test('a handler changes what a run is started with, and only that', async () => {
  const runOf = async (name: string): Promise<string> => {
    const { thread_id: id } = await threadOf(name);
    const body = { assistant_id: 'chat', input: { steps: [], messages: [] } };
    return (await as(name, 'POST', `/threads/${id}/runs`, body)).text;
  };
  const kim = await runOf('kim');
  expect(kim).toContain('"steps":["kim","kim",["values"],null,false]');
  expect(kim).toContain('"interrupt_before":["talk"]');
  expect(kim).toContain('"tone":"kim\'s"');
  // One that is put in its place counts for nothing, as with `langgraph dev`.
  expect(await runOf('lea')).toContain('"input":{"steps":[],"messages":[]}');
});

test('whoever may only read a run cannot cancel it by going away', async () => {
  const { thread_id: id } = await threadOf('reader');
  const input = { steps: [], messages: [] };
  const { text } = await as('reader', 'POST', `/threads/${id}/runs`, { assistant_id: 'chat', input });
  const { run_id: runId } = z.object({ run_id: z.string() }).parse(JSON.parse(text));
  const joined = `/threads/${id}/runs/${runId}/join`;
  expect(await as('reader', 'GET', joined)).toMatchObject({ status: 200 });
  expect(await as('reader', 'GET', `${joined}?cancel_on_disconnect=true`)).toMatchObject({ status: 403 });
  expect(
    await as('reader', 'GET', `${joined.replace('/join', '/stream')}?cancel_on_disconnect=1`),
  ).toMatchObject({ status: 403 });
});

test('a refusal that no answer can have ends nothing but its request', async () => {
  const authorization = { authorization: 'Bearer odd' };
  const response = await fetch(`${server.url}/threads/search`, { method: 'POST', headers: authorization });
  expect(response.status).toBe(500);
  expect(response.headers.get('x-even')).toBe('one');
  expect((await fetch(`${server.url}//`)).status).toBe(400);
  expect(await ask(server, 'GET', '/ok')).toMatchObject({ status: 200 });
});

test('items lie where the project has put them', async () => {
  const item = { namespace: ['notes'], key: 'a', value: { text: 'mine' } };
  expect(await as('ann', 'PUT', '/store/items', item)).toMatchObject({ status: 204 });
  expect((await as('ann', 'GET', '/store/items?namespace=notes&key=a')).text).toContain(
    '"namespace":["ann","notes"]',
  );
  expect((await as('bob', 'GET', '/store/items?namespace=notes&key=a')).text).toBe('null');
});

test('what a handler denies is forbidden', async () => {
  expect(await as('ann', 'POST', '/assistants/search', {})).toMatchObject({ status: 403 });
});
