import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { countOf } from '../../../lib/domain/metrics/histogram.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { type AgentServer, ask, newProject, startAgentServer } from './agent-server.ts';

const processes = new ProcessSupervisor();
const TOKEN = 'a token of the deployment';
const INPUT = { steps: [], messages: [{ role: 'user', content: 'hey' }] };

let postgres: TestPostgres;
let folder: string;
let server: AgentServer;

beforeAll(async () => {
  [postgres, folder] = await Promise.all([startTestPostgres(processes), newProject(processes)]);
  const databaseUri = await postgres.freshDatabase();
  server = await startAgentServer(processes, {
    folder,
    databaseUri,
    environment: { SLIPWAY_INTERNAL_TOKEN: TOKEN },
  });
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const totals = z.object({
  begun: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  waiting: z.number(),
  durations: z.object({ counts: z.array(z.number()), sum_ms: z.number() }),
});

async function told() {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { text } = await ask(server, 'GET', '/internal/runs', undefined, headers);
  const { durations, ...counts } = totals.parse(JSON.parse(text));
  return { ...counts, ended: countOf(durations) };
}

test('a server tells, by its token alone, what became of its runs', async () => {
  expect(await ask(server, 'GET', '/internal/runs')).toMatchObject({ status: 404 });
  expect(await told()).toEqual({ begun: 0, succeeded: 0, failed: 0, waiting: 0, ended: 0 });
  const { text } = await ask(server, 'POST', '/threads', {});
  const { thread_id: thread } = z.object({ thread_id: z.string() }).parse(JSON.parse(text));
  for (const input of [INPUT, INPUT])
    await ask(server, 'POST', `/threads/${thread}/runs/wait`, { assistant_id: 'chat', input });
  expect(await told()).toEqual({ begun: 2, succeeded: 2, failed: 0, waiting: 0, ended: 2 });
});
