import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { copyThreads } from '../../../lib/cli/copy-threads/copy-threads.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { ask, newProject, startAgentServer } from './agent-server.ts';
import { devPython, startDev } from './dev-server.ts';

type At = { readonly url: string };

const processes = new ProcessSupervisor();
let postgres: TestPostgres;
let folder: string;
let dev: At;
let ours: At;

beforeAll(async () => {
  let python: string;
  [postgres, folder, python] = await Promise.all([
    startTestPostgres(processes),
    newProject(processes),
    devPython(processes),
  ]);
  const databaseUri = await postgres.freshDatabase();
  [dev, ours] = await Promise.all([
    startDev(processes, { python, folder }),
    startAgentServer(processes, { folder, databaseUri }),
  ]);
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const INPUT = { steps: [], messages: [{ role: 'user', content: 'hey' }] };
const HEADERS = { 'content-type': 'application/json' };
const state = z.object({
  values: z.unknown(),
  next: z.array(z.string()),
  metadata: z.looseObject({ source: z.string(), step: z.number() }),
});

async function post(at: At, path: string, body: object): Promise<unknown> {
  const { status, text } = await ask(at, 'POST', path, body, HEADERS);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text);
}

async function threadOf(graph: string, ...runs: object[]): Promise<string> {
  const made = z
    .object({ thread_id: z.string() })
    .parse(await post(dev, '/threads', { metadata: { of: graph } }));
  for (const more of runs)
    await post(dev, `/threads/${made.thread_id}/runs/wait`, { assistant_id: graph, ...more });
  return made.thread_id;
}

/** How a thread came to stand as it does, the newest state first. */
const historyOf = async (at: At, thread: string) =>
  z.array(state).parse(await post(at, `/threads/${thread}/history`, { limit: 100 }));

const newest = async (at: At, thread: string) => (await historyOf(at, thread))[0];

test('threads of langgraph dev go on in the durable server', async () => {
  const chat = await threadOf('chat', { input: INPUT }, { input: INPUT });
  const waiting = await threadOf('human', { input: INPUT });
  const fan = await threadOf('both', { input: INPUT });
  const nested = await threadOf('nested', { input: INPUT });
  const routed = await threadOf('routes', { input: INPUT });
  const inside = await threadOf('nested_human', { input: INPUT });
  const lost = await threadOf('chat', { input: INPUT, durability: 'exit' });
  const changed = await threadOf('human', { input: INPUT });
  await post(dev, `/threads/${changed}/state`, { values: { steps: ['by hand'] }, as_node: 's1' });
  const empty = await threadOf('chat');
  const later = await threadOf('chat');
  const due = { assistant_id: 'chat', input: INPUT, after_seconds: 600 };
  await post(dev, `/threads/${later}/runs`, due);
  const there = await threadOf('chat', { input: INPUT });
  await post(ours, '/threads', { thread_id: there });

  const said: string[] = [];
  const servers = { from: { url: dev.url, headers: {} }, to: { url: ours.url, headers: {} } };
  const say = (line: string) => void said.push(line);
  expect(await copyThreads({ ...servers, say })).toEqual({
    whole: 6,
    stands: 2,
    empty: 1,
    there: 1,
    busy: 1,
    failed: 0,
  });
  expect(said.filter((line) => line.startsWith(later))).toEqual([expect.stringContaining('run under way')]);
  expect(said).toContainEqual(`${inside}: waits within a subgraph, which begins again when it is answered`);
  for (const thread of [chat, waiting, fan, nested, routed, inside]) {
    const shown = (one: z.infer<typeof state>) => [
      one.values,
      one.next,
      one.metadata.source,
      one.metadata.step,
    ];
    const [theirs, copy] = [await historyOf(dev, thread), await historyOf(ours, thread)];
    // A step that a person could have written says so; what it came to is the same.
    const isBy = ([values, next, , step]: unknown[]) => [values, next, step];
    expect(copy.map(shown).map(isBy)).toEqual(theirs.map(shown).map(isBy));
  }
  for (const thread of [lost, changed]) {
    const [theirs, copy] = [await newest(dev, thread), await newest(ours, thread)];
    expect([copy?.values, copy?.next]).toEqual([theirs?.values, theirs?.next]);
  }
  expect((await ask(ours, 'GET', `/threads/${empty}`)).text).toContain('"of":"chat"');

  const answer = { assistant_id: 'human', command: { resume: 'yes' } };
  expect(await post(ours, `/threads/${waiting}/runs/wait`, answer)).toMatchObject({
    steps: ['s1', 'approve:yes', 'paid'],
  });
  expect(
    await post(ours, `/threads/${chat}/runs/wait`, { assistant_id: 'chat', input: INPUT }),
  ).toMatchObject({
    steps: ['talk', 'talk', 'talk'],
  });
  const resume = { command: { resume: 'yes' } };
  expect(
    await post(ours, `/threads/${routed}/runs/wait`, { assistant_id: 'routes', ...resume }),
  ).toMatchObject({
    steps: ['route', 'approve:yes'],
  });
  expect(
    await post(ours, `/threads/${inside}/runs/wait`, { assistant_id: 'nested_human', ...resume }),
  ).toMatchObject({ steps: ['s1', 'approve:yes', 'paid'] });
  // Once more: nothing is written twice.
  expect(await copyThreads({ ...servers, say })).toMatchObject({ whole: 0, stands: 0, there: 10, busy: 1 });
});
