import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lackingRoutes } from '../../../lib/agent-runtime/http/lacking.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { type AgentServer, ask, newProject, startAgentServer } from './agent-server.ts';

const processes = new ProcessSupervisor();
const NOBODY = '00000000-0000-4000-8000-000000000000';
let postgres: TestPostgres;
let folder: string;
let server: AgentServer;

beforeAll(async () => {
  [postgres, folder] = await Promise.all([startTestPostgres(processes), newProject(processes)]);
  server = await startAgentServer(processes, { folder, databaseUri: await postgres.freshDatabase() });
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const lacking = lackingRoutes.map(([method, path]): [string, string] => [method, path]);

test.each(lacking)('%s %s is 501, with the name of what is not done yet', async (method, path) => {
  const body = method === 'GET' ? undefined : {};
  const { status, text } = await ask(server, method, path.replaceAll(/:\w+/g, NOBODY), body);
  expect(status).toBe(501);
  expect(text).toMatch(/"detail":"[^:]+: this server does not do that yet/);
});

test.each([
  ['POST', '/runs/wait', { assistant_id: 'chat', webhook: 'https://example.com' }, 'webhook'],
  ['POST', '/runs/wait', { assistant_id: 'chat', feedback_keys: ['good'] }, 'feedback_keys'],
  ['POST', '/runs', { assistant_id: 'chat', langsmith_tracer: { project_name: 'a' } }, 'langsmith_tracer'],
  ['POST', '/runs', { assistant_id: 'chat', strict_resume: true }, 'strict_resume'],
  ['POST', '/threads', { ttl: { ttl: 1 } }, 'ttl'],
  ['PATCH', `/threads/${NOBODY}`, { ttl: { ttl: 1 } }, 'ttl'],
  ['GET', `/threads/${NOBODY}?include=ttl`, undefined, 'ttl'],
  ['POST', '/threads/search', { extract: { last: 'values.steps[-1]' } }, 'extract'],
  ['PUT', '/store/items', { namespace: ['a'], key: 'k', value: {}, ttl: 5 }, 'ttl'],
  ['POST', '/store/items/search', { namespace_prefix: [], query: 'like this' }, 'query'],
])('%s %s %j is 501, with the name %s', async (method, path, body, name) => {
  const { status, text } = await ask(server, method, path, body);
  expect(status).toBe(501);
  expect(text).toContain(name);
});

test('a graph keeps values that are no dict', async () => {
  const run = { assistant_id: 'remembers_text', input: { steps: [], messages: [] } };
  expect((await ask(server, 'POST', '/runs/wait', run)).text).toContain('"steps":["a text","a text"]');
  const { text } = await ask(server, 'GET', '/store/items?namespace=texts&key=last');
  expect(text).toContain('"value":"a text"');
});

test('a client selects fields of states', async () => {
  const input = { steps: [], messages: [] };
  const thread = '00000000-0000-4000-8000-000000000001';
  const run = { assistant_id: 'chat', input, if_not_exists: 'create' };
  expect(await ask(server, 'POST', `/threads/${thread}/runs/wait`, run)).toMatchObject({ status: 200 });
  const { text } = await ask(server, 'GET', `/threads/${thread}/state?select=values.steps&select=next`);
  expect(JSON.parse(text)).toEqual({ values: { steps: ['talk'] }, next: [] });
  const page = { limit: 2, select: ['next'] };
  const { text: history } = await ask(server, 'POST', `/threads/${thread}/history`, page);
  expect(JSON.parse(history)).toEqual([{ next: [] }, { next: ['talk'] }]);
});
