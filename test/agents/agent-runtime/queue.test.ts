import { afterEach, describe, expect, it } from 'vitest';
import { type AgentQueue, openQueue, storeOf } from '../../../lib/agent-runtime/queue/agent-queue.ts';
import { callBuild } from '../../../lib/agent-runtime/queue/calls.ts';
import { followEvents, waitForRun } from '../../../lib/agent-runtime/queue/follow.ts';
import type { Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import type { RunEvent } from '../../../lib/agent-runtime/tables/rows.ts';
import { cancelRun, findRun } from '../../../lib/agent-runtime/tables/runs.ts';
import { getThread } from '../../../lib/agent-runtime/tables/threads.ts';
import { until } from '../../support/until.ts';
import { ended, type PretendedGraph, PretendedWorker } from './pretended-worker.ts';
import { failed, leaseOf, newRun, newServer, useTables } from './world.ts';

const tables = useTables();

type Opened = { server: Server; worker: PretendedWorker; queue: AgentQueue };

const opened: Opened[] = [];

function open(server = newServer(), timeoutSeconds = 3_600): Opened {
  const worker = new PretendedWorker();
  const options = { database: tables.database, slots: 10, timeoutSeconds, say: () => undefined };
  const one = { server, worker, queue: openQueue({ ...options, server, worker }) };
  opened.push(one);
  return one;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ queue }) => queue.drain(0)));
});

/** A claim whose answer is lost takes a number of an attempt too: those that a worker was given are counted. */
const running = (worker: PretendedWorker, runId: string, nth = 1): Promise<PretendedGraph> =>
  until(() => worker.graphs.filter(({ run }) => run.runId === runId)[nth - 1], {
    what: `the worker to be given the run (${nth})`,
    firstMs: 2,
  });

const collect = async (events: AsyncIterable<RunEvent>): Promise<RunEvent[]> => {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};
const namesOf = (events: readonly RunEvent[]) => events.map(({ event }) => event);

describe('the queue', () => {
  it('takes a run as it comes, and says at its end what came of it', async () => {
    const { server, worker, queue } = open();
    const run = await newRun(tables.database, server);
    (await running(worker, run.run_id)).end(ended([], '{"n":9007199254740993,"x":1.0}'));
    const over = await waitForRun({ database: tables.database, hub: queue.hub }, run.run_id);
    expect(over).toMatchObject({ status: 'success', output: '{"n":9007199254740993,"x":1.0}', attempt: 1 });
    await until(() => queue.problem === undefined, { what: 'the session that listens' });
  });

  it('puts a run back when its process has died, three times in one step', async () => {
    const { server, worker, queue } = open();
    worker.standAt(['answer']);
    const run = await newRun(tables.database, server);
    for (let attempt = 1; attempt <= 3; attempt++)
      (await running(worker, run.run_id, attempt)).end({ kind: 'lost', reason: `signal SIGKILL ${attempt}` });
    const over = await waitForRun({ database: tables.database, hub: queue.hub }, run.run_id);
    expect(over).toMatchObject({ status: 'error', failures: 3 });
    expect(over?.error).toMatch(/ended 3 times in the same step, at last so: signal SIGKILL 3\./);
    expect(await getThread(tables.database, run.thread_id)).toMatchObject({
      status: 'error',
      next: ['answer'],
    });
  });

  it('forgets failures before a step that was done', async () => {
    const { server, worker } = open();
    const run = await newRun(tables.database, server);
    for (let attempt = 1; attempt <= 6; attempt++) {
      const graph = await running(worker, run.run_id, attempt);
      graph.listener.onStep();
      await until(async () => (await findRun(tables.database, run.run_id))?.failures === 0, {
        what: 'a step',
      });
      graph.end({ kind: 'lost', reason: 'killed' });
    }
    (await running(worker, run.run_id, 7)).end(ended());
  });

  it.each(['drained', 'store-away'] as const)('does not count a run that comes back as %s', async (kind) => {
    const { server, worker } = open();
    const run = await newRun(tables.database, server);
    for (let attempt = 1; attempt <= 4; attempt++)
      (await running(worker, run.run_id, attempt)).end({ kind, reason: 'no connection' });
    await running(worker, run.run_id, 5);
    expect(await findRun(tables.database, run.run_id)).toMatchObject({ status: 'running', failures: 0 });
  });

  it('ends a run whose graph has failed, with its thread as the graph left it', async () => {
    const { server, worker, queue } = open();
    worker.standAt(['answer']);
    const run = await newRun(tables.database, server);
    (await running(worker, run.run_id)).end(failed);
    const follower = followEvents({ database: tables.database, hub: queue.hub }, run.run_id, 0);
    expect(namesOf(await collect(follower))).toEqual(['error']);
    expect(await getThread(tables.database, run.thread_id)).toMatchObject({
      status: 'error',
      next: ['answer'],
      values: '{"n":4}',
      state: expect.stringContaining('"next":["answer"]'),
    });
  });

  it('cancels a run, and removes the checkpoints of one that is rolled back', async () => {
    const { server, worker, queue } = open();
    const deps = { database: tables.database, hub: queue.hub };
    const [one, other] = [await newRun(tables.database, server), await newRun(tables.database, server)];
    await running(worker, one.run_id);
    await running(worker, other.run_id);
    await cancelRun(tables.database, { threadId: one.thread_id, runId: one.run_id }, 'interrupt');
    await cancelRun(tables.database, { threadId: other.thread_id, runId: other.run_id }, 'rollback');
    expect(await waitForRun(deps, one.run_id)).toMatchObject({ status: 'interrupted' });
    await until(async () => (await findRun(tables.database, other.run_id)) === undefined, {
      what: 'its end',
    });
    expect(worker.calls.filter(({ op }) => op === 'drop')).toEqual([
      { op: 'drop', args: JSON.stringify({ thread_id: other.thread_id, run_id: other.run_id }) },
    ]);
  });

  it('leaves a thread as it is when a run ends that has stored no checkpoint of it', async () => {
    const { server, worker, queue } = open();
    const deps = { database: tables.database, hub: queue.hub };
    const run = await newRun(tables.database, server);
    (await running(worker, run.run_id)).end(ended(['sub:inner']));
    await waitForRun(deps, run.run_id);
    // So a graph says that knows nothing of the node at which another build has left the thread.
    worker.answer = () => '{"values":{},"next":[],"interrupts":{},"state":{"metadata":{"run_id":"another"}}}';
    const { thread_id: threadId } = run;
    for (const action of ['interrupt', 'rollback'] as const) {
      const { run_id: runId } = await newRun(tables.database, server, { threadId });
      await running(worker, runId);
      await cancelRun(tables.database, { threadId, runId }, action);
      await until(async () => (await getThread(tables.database, threadId)).status === 'interrupted', {
        what: 'its end',
      });
      expect(await getThread(tables.database, threadId)).toMatchObject({ next: ['sub:inner'] });
    }
  });

  it('ends a run that takes too long', async () => {
    const { server, worker, queue } = open(newServer(), 0.05);
    const run = await newRun(tables.database, server);
    const over = await waitForRun({ database: tables.database, hub: queue.hub }, run.run_id);
    expect(over).toMatchObject({ status: 'timeout', error: expect.stringContaining('BG_JOB_TIMEOUT_SECS') });
    expect(worker.graphOf(run.run_id)?.asked).toEqual(['cancel']);
  });

  it('does not go on at a node that its graph has not', async () => {
    const { server, worker, queue } = open();
    const deps = { database: tables.database, hub: queue.hub };
    const run = await newRun(tables.database, server);
    (await running(worker, run.run_id)).end(ended(['gone']));
    await waitForRun(deps, run.run_id);
    const { thread_id: threadId } = run;
    const answer = await newRun(tables.database, server, { threadId, kwargs: '{"command":{"resume":1}}' });
    const over = await waitForRun(deps, answer.run_id);
    expect(over?.error).toContain(`node 'gone', which revision revision of ${server.buildId} has not`);
    expect(await getThread(tables.database, threadId)).toMatchObject({ status: 'error', next: ['gone'] });
    const anew = await newRun(tables.database, server, { threadId });
    (await running(worker, anew.run_id)).end(ended());
    expect(await waitForRun(deps, anew.run_id)).toMatchObject({ status: 'success' });
  });

  it('hands its runs back when it drains, to the next server of the build', async () => {
    const first = open();
    const run = await newRun(tables.database, first.server);
    const graph = await running(first.worker, run.run_id);
    await first.queue.drain(60_000);
    expect(graph.asked).toEqual(['drain']);
    const next = open(newServer(first.server.buildId));
    (await running(next.worker, run.run_id)).end(ended());
    const over = await waitForRun({ database: tables.database, hub: next.queue.hub }, run.run_id);
    expect(over).toMatchObject({ status: 'success', failures: 0 });
  });
});

describe('a server that has died', () => {
  it('loses its runs to whoever looks first, and may write nothing any more', async () => {
    const dead = newServer();
    await tables.database.query(
      `insert into rt.servers (owner, build_id, revision_id, holds_lock) values ($1, $2, 'r', true)`,
      [dead.owner, dead.buildId],
    );
    const run = await newRun(tables.database, dead);
    const [claimed] = await storeOf(tables.database).claim(dead, 1);
    if (claimed === undefined) throw new Error('nothing was due');
    const { worker } = open(newServer(dead.buildId));
    const graph = await running(worker, run.run_id);
    const store = storeOf(tables.database);
    const lease = leaseOf(claimed);
    expect(await store.finish(lease, { status: 'success', output: '"stale"' })).toBe('fenced');
    expect(await store.handBack(lease, 'stale')).toBe(false);
    expect(await store.remove(lease)).toBe(false);
    expect(await store.append(lease, [{ seq: 1, event: 'values', data: '"stale"' }])).toBe(false);
    const holds = `select rt.holds_lease($1, $2, $3) as holds`;
    const asked = async (owner: string, epoch: number) =>
      (await tables.database.query(holds, [run.run_id, owner, epoch]))[0];
    expect(await asked(dead.owner, 1)).toEqual({ holds: false });
    expect(await asked(graph.run.owner, graph.run.epoch)).toEqual({ holds: true });
    expect(await findRun(tables.database, run.run_id)).toMatchObject({ status: 'running', failures: 1 });
  });
});

describe('a follower', () => {
  it('hears each event once and in order, wherever the run is and whoever takes it up again', async () => {
    const first = open();
    const other = open(newServer());
    const run = await newRun(tables.database, first.server);
    const far = collect(followEvents({ database: tables.database, hub: other.queue.hub }, run.run_id, 0));
    const near = collect(followEvents({ database: tables.database, hub: first.queue.hub }, run.run_id, 0));
    const graph = await running(first.worker, run.run_id);
    for (let n = 0; n < 3_000; n++) graph.listener.onEvent('values', `{"n":${n}}`);
    graph.end({ kind: 'lost', reason: 'killed' });
    const again = await running(first.worker, run.run_id, 2);
    for (let n = 0; n < 2; n++) again.listener.onEvent('custom', `{"again":${n}}`);
    again.end(ended());
    const [a, b] = [await far, await near];
    expect(a).toEqual(b);
    expect(a.map(({ data }) => data)).toEqual([
      ...Array.from({ length: 3_000 }, (_, n) => `{"n":${n}}`),
      '{"again":0}',
      '{"again":1}',
    ]);
    const from = a[1_499]?.seq ?? 0;
    const rest = await collect(
      followEvents({ database: tables.database, hub: other.queue.hub }, run.run_id, from),
    );
    expect(rest).toEqual(a.slice(1_500));
  });

  it('stops when it is told to', async () => {
    const { server, worker, queue } = open();
    const run = await newRun(tables.database, server);
    await running(worker, run.run_id);
    const { signal, abort } = abortable();
    const events = collect(
      followEvents({ database: tables.database, hub: queue.hub }, run.run_id, 0, signal),
    );
    abort();
    expect(await events).toEqual([]);
  });
});

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe('a call to another build', () => {
  it('is answered by the server of that build', async () => {
    const [asking, answering] = [open(), open()];
    answering.worker.answer = (op, args) => `{"op":"${op}","args":${args}}`;
    const call = { buildId: answering.server.buildId, op: 'history' as const, args: '{"limit":1}' };
    const deps = { database: tables.database, hub: asking.queue.hub };
    expect(await callBuild(deps, call, 60_000)).toBe('{"op":"history","args":{"limit":1}}');
  });

  it('says what went wrong, or that no server was there', async () => {
    const [asking, answering] = [open(), open()];
    answering.worker.answer = () => {
      throw new Error('no such thread');
    };
    const deps = { database: tables.database, hub: asking.queue.hub };
    const call = { buildId: answering.server.buildId, op: 'update' as const, args: '{}' };
    await expect(callBuild(deps, call, 60_000)).rejects.toThrow(/no such thread/);
    await expect(callBuild(deps, { ...call, buildId: 'none' }, 1)).rejects.toThrow(/was not started in time/);
  });
});
