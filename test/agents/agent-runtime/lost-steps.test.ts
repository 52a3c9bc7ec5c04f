import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Database } from '../../../lib/agent-runtime/tables/database.ts';
import { releaseThreads } from '../../../lib/agent-runtime/tables/release.ts';
import { getThread } from '../../../lib/agent-runtime/tables/threads.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { type AgentServer, ask, newProject, startAgentServer } from './agent-server.ts';

const processes = new ProcessSupervisor();
let postgres: TestPostgres;
let folder: string;
let database: Database;
/** Two builds; in the newer one the node that asks has another name. */
let older: AgentServer;
let newer: AgentServer;

beforeAll(async () => {
  [postgres, folder] = await Promise.all([startTestPostgres(processes), newProject(processes)]);
  const databaseUri = await postgres.freshDatabase();
  database = new Database(databaseUri);
  const start = (buildId: string, node: string) =>
    startAgentServer(processes, {
      folder,
      databaseUri,
      buildId,
      configFile: 'langgraph-renamed.json',
      environment: { NODE: node, MENDED: join(folder, 'mended') },
    });
  older = await start('older', 'approve');
  newer = await start('newer', 'consent');
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
  await processes.close();
  await rm(folder, { recursive: true, force: true });
});

const made = z.object({ thread_id: z.string() });
const INPUT = { input: { steps: [] } };
const ANSWER = { command: { resume: 'yes' } };
const lost = (node: string) => ({
  __error__: {
    error: 'NodeNotFound',
    message: expect.stringContaining(`node '${node}', which revision revision-of-newer has not`),
  },
});

async function run(server: AgentServer, threadId: string, graph: string, body: object): Promise<unknown> {
  const path = `/threads/${threadId}/runs/wait`;
  const { text } = await ask(server, 'POST', path, { assistant_id: graph, ...body });
  return JSON.parse(text);
}

/** A thread that an input has brought to where it waits, in the older build. */
async function waitingThread(graph: string, more: object = {}): Promise<string> {
  const { text } = await ask(older, 'POST', '/threads', {});
  const { thread_id: threadId } = made.parse(JSON.parse(text));
  await run(older, threadId, graph, { ...INPUT, ...more });
  return threadId;
}

const letGo = () =>
  releaseThreads(database, { buildId: 'newer', revisionId: 'revision-of-newer' }, { builds: ['older'] });
const nextOf = async (threadId: string) => (await getThread(database, threadId)).next;

describe('a thread that is let go to a build with other nodes', () => {
  it.each([
    { graph: 'flat', next: ['approve'], node: 'approve' },
    { graph: 'drawn', next: ['team:approve'], node: 'team:approve' },
    { graph: 'called', next: ['call:approve'], node: 'call:approve' },
    { graph: 'hidden', next: ['call'], node: 'call:approve' },
    { graph: 'join', next: ['two'], node: 'approve' },
    { graph: 'sends', next: ['approve'], node: 'approve' },
  ])('ends no run as a success that lacks its step: $graph', async ({ graph, next, node }) => {
    const threadId = await waitingThread(graph);
    expect(await nextOf(threadId)).toEqual(next);
    await letGo();
    expect(await run(newer, threadId, graph, ANSWER)).toEqual(lost(node));
    expect(await getThread(database, threadId)).toMatchObject({ status: 'error', next });
    // A new input begins anew, in the newer build.
    expect(await run(newer, threadId, graph, INPUT)).not.toHaveProperty('__error__');
  });

  it.each(['flat', 'drawn', 'called', 'hidden', 'join', 'sends', 'hands'])(
    'goes on where the build has what it needs: %s',
    async (graph) => {
      const threadId = await waitingThread(graph);
      const output = await run(older, threadId, graph, ANSWER);
      const { steps } = z.object({ steps: z.array(z.string()) }).parse(output);
      expect(steps).toContain(graph === 'hands' ? 'after' : 'answer yes');
      expect(await nextOf(threadId)).toEqual([]);
    },
  );
});

describe('a graph that its config makes', () => {
  it('is compared as the run has it, not as its default is', async () => {
    const config = { config: { configurable: { node: 'mine' } } };
    const threadId = await waitingThread('made', config);
    expect(await run(older, threadId, 'made', { ...ANSWER, ...config })).toEqual({ steps: ['answer yes'] });
    const other = await waitingThread('made', config);
    expect(await run(older, other, 'made', ANSWER)).toMatchObject({ __error__: { error: 'NodeNotFound' } });
  });
});

describe('a run from an older checkpoint', () => {
  const checkpointsOf = async (threadId: string) => {
    const { text } = await ask(older, 'POST', `/threads/${threadId}/history`, {});
    const form = z.array(z.object({ next: z.array(z.string()), checkpoint_id: z.string() }));
    return form.parse(JSON.parse(text));
  };
  const before = async (threadId: string, node: string) => {
    const found = (await checkpointsOf(threadId)).find(({ next }) => next[0] === node);
    return { input: null, checkpoint_id: found?.checkpoint_id };
  };

  it('is compared by that one', async () => {
    const threadId = await waitingThread('flat');
    await run(older, threadId, 'flat', ANSWER);
    expect(await run(newer, threadId, 'flat', await before(threadId, 'approve'))).toEqual(lost('approve'));
  });

  it('goes on although the newest one waits for another build', async () => {
    const threadId = await waitingThread('flat');
    await letGo();
    const output = await run(newer, threadId, 'flat', await before(threadId, 'first'));
    expect(output).toMatchObject({ steps: ['first'], __interrupt__: [{ value: 'ok?' }] });
  });
});

it('goes on with a thread after an error, when what failed is mended', async () => {
  const threadId = await waitingThread('fails');
  expect(await nextOf(threadId)).toEqual(['approve']);
  await writeFile(join(folder, 'mended'), '');
  expect(await run(older, threadId, 'fails', { input: null })).toEqual({
    steps: ['first', 'mended', 'last'],
  });
});

it('refuses to go to a node that there is not', async () => {
  const threadId = await waitingThread('flat');
  expect(await run(older, threadId, 'flat', { command: { goto: 'nowhere' } })).toMatchObject({
    __error__: { error: 'NodeNotFound', message: expect.stringContaining("'nowhere'") },
  });
});

it('ends a run whose input nobody can read, and keeps its slot for others', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const { text } = await ask(older, 'POST', '/runs/wait', `{"assistant_id":"flat","input":${deep}}`);
  expect(JSON.parse(text)).toMatchObject({ __error__: { error: 'RecursionError' } });
});
