import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { storeOf } from '../../../lib/agent-runtime/queue/agent-queue.ts';
import type { Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import { RefusedError } from '../../../lib/agent-runtime/tables/errors.ts';
import { releaseThreads } from '../../../lib/agent-runtime/tables/release.ts';
import { cancelRun, findRun, listRuns } from '../../../lib/agent-runtime/tables/runs.ts';
import { getThread, noteState } from '../../../lib/agent-runtime/tables/threads.ts';
import { until } from '../../support/until.ts';
import { leaseOf, newRun, newServer, useTables } from './world.ts';

const tables = useTables();
const store = () => storeOf(tables.database);

const snapshot = (next: string[]) => ({ values: '{"n":2}', next, interrupts: '{}' });

const claimOne = async (server: Server) => {
  const [run, ...more] = await store().claim(server, 10);
  expect(more).toEqual([]);
  if (run === undefined) throw new Error('nothing was due');
  return run;
};
const statusOf = async (runId: string) => (await findRun(tables.database, runId))?.status;

describe('the runs of a thread', () => {
  it('run one after the other, in their order', async () => {
    const server = newServer();
    const threadId = randomUUID();
    const runs = [];
    for (let n = 0; n < 3; n++) runs.push(await newRun(tables.database, server, { threadId }));
    for (const { run_id: runId } of runs) {
      const run = await claimOne(server);
      expect(run.runId).toBe(runId);
      expect(await store().claim(server, 10)).toEqual([]);
      expect(await store().finish(leaseOf(run), { status: 'success', snapshot: snapshot([]) })).toBe(
        'finished',
      );
    }
    expect(await getThread(tables.database, threadId)).toMatchObject({ status: 'idle', build_id: null });
  });

  it('never run two at once, whoever writes', async () => {
    const server = newServer();
    const threadId = randomUUID();
    await newRun(tables.database, server, { threadId });
    const second = await newRun(tables.database, server, { threadId });
    await claimOne(server);
    await expect(
      tables.database.query(
        `update rt.runs set status = 'running', ready = true, lease_owner = $2 where run_id = $1`,
        [second.run_id, server.owner],
      ),
    ).rejects.toThrow(/runs_turn/);
    await expect(
      tables.database.query(`update rt.runs set status = 'running', lease_owner = $2 where run_id = $1`, [
        second.run_id,
        server.owner,
      ]),
    ).rejects.toThrow(/runs_running_is_ready/);
  });

  it('are claimed once, by however many servers', async () => {
    const buildId = randomUUID();
    const runs = [];
    for (let n = 0; n < 30; n++) runs.push(await newRun(tables.database, newServer(buildId)));
    const servers = Array.from({ length: 6 }, () => newServer(buildId));
    const claims = await Promise.all(servers.map((server) => store().claim(server, 7)));
    const claimed = claims.flat().map(({ runId }) => runId);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length).toBe(30);
  });

  it('wait for their time, and let another one pass', async () => {
    const server = newServer();
    const threadId = randomUUID();
    const late = await newRun(tables.database, server, { threadId, afterSeconds: 3_600 });
    expect(await store().claim(server, 1)).toEqual([]);
    expect(await store().nextDue(server.buildId)).toBeGreaterThan(3_000_000);
    const now = await newRun(tables.database, server, { threadId });
    const run = await claimOne(server);
    expect(run.runId).toBe(now.run_id);
    await store().finish(leaseOf(run), { status: 'success', snapshot: snapshot([]) });
    expect(await store().nextDue(server.buildId)).toBeGreaterThan(3_000_000);
    expect(await getThread(tables.database, threadId)).toMatchObject({ status: 'busy' });
    await cancelRun(tables.database, { threadId, runId: late.run_id }, 'interrupt');
    expect(await getThread(tables.database, threadId)).toMatchObject({ status: 'idle' });
  });
});

describe('a multitask strategy', () => {
  it('rejects a run on a busy thread', async () => {
    const server = newServer();
    const threadId = randomUUID();
    await newRun(tables.database, server, { threadId });
    const refused = newRun(tables.database, server, { threadId, multitaskStrategy: 'reject' });
    await expect(refused).rejects.toThrow(RefusedError);
    await expect(refused).rejects.toMatchObject({ refusal: 'thread-busy' });
  });

  it.each(['interrupt', 'rollback'] as const)('%ss what runs and what waits', async (multitaskStrategy) => {
    const server = newServer();
    const threadId = randomUUID();
    const first = await newRun(tables.database, server, { threadId });
    const second = await newRun(tables.database, server, { threadId });
    const run = await claimOne(server);
    const third = await newRun(tables.database, server, { threadId, multitaskStrategy });
    expect(await statusOf(second.run_id)).toBe(multitaskStrategy === 'interrupt' ? 'interrupted' : undefined);
    expect(await store().claim(server, 10)).toEqual([]);
    const [renewed] = await store().beat(server, [leaseOf(run)]);
    expect(renewed).toEqual({ runId: first.run_id, epoch: 1, cancel: multitaskStrategy });
    const finished = await store().finish(leaseOf(run), {
      status: 'interrupted',
      snapshot: snapshot(['ask']),
    });
    expect(finished).toBe(multitaskStrategy === 'interrupt' ? 'finished' : 'rollback');
    if (finished === 'rollback') expect(await store().remove(leaseOf(run))).toBe(true);
    expect((await claimOne(server)).runId).toBe(third.run_id);
  });
});

describe('a run that was cancelled', () => {
  it('ends at once if it has not begun', async () => {
    const server = newServer();
    const { run_id: runId, thread_id: threadId } = await newRun(tables.database, server);
    await cancelRun(tables.database, { threadId, runId }, 'interrupt');
    expect(await statusOf(runId)).toBe('interrupted');
    expect(await store().claim(server, 1)).toEqual([]);
    await expect(cancelRun(tables.database, { threadId, runId }, 'interrupt')).rejects.toMatchObject({
      refusal: 'run-ended',
    });
  });

  it('is ended by whoever claims it if it was put back meanwhile', async () => {
    const server = newServer();
    const { run_id: runId, thread_id: threadId } = await newRun(tables.database, server);
    expect(await store().handBack(leaseOf(await claimOne(server)), undefined)).toBe(true);
    await cancelRun(tables.database, { threadId, runId }, 'rollback');
    await cancelRun(tables.database, { threadId, runId }, 'interrupt');
    expect(await claimOne(server)).toMatchObject({ runId, cancel: 'rollback', attempt: 2, failures: 0 });
  });

  it('leaves a thread that waits as it was', async () => {
    const server = newServer();
    const threadId = await waitingThread(server);
    const { run_id: runId } = await newRun(tables.database, server, { threadId });
    await cancelRun(tables.database, { threadId, runId }, 'interrupt');
    expect(await getThread(tables.database, threadId)).toMatchObject({
      status: 'interrupted',
      waits: true,
      build_id: server.buildId,
    });
  });
});

/** A thread whose run has ended at an interrupt. */
async function waitingThread(server: Server): Promise<string> {
  const { thread_id: threadId } = await newRun(tables.database, server);
  await store().finish(leaseOf(await claimOne(server)), { status: 'success', snapshot: snapshot(['ask']) });
  return threadId;
}

describe('a thread', () => {
  it('that waits is its build’s alone, until it is let go', async () => {
    const [server, newer] = [newServer(), newServer()];
    const threadId = await waitingThread(server);
    expect(await newRun(tables.database, newer, { threadId })).toMatchObject({
      build_id: server.buildId,
      revision_id: server.revisionId,
    });
    const run = await claimOne(server);
    expect(run.threadNext).toEqual(['ask']);
    await store().finish(leaseOf(run), { status: 'success', snapshot: snapshot(['ask']) });
    expect(await releaseThreads(tables.database, newer, { builds: [server.buildId] })).toBe(1);
    expect(await newRun(tables.database, newer, { threadId })).toMatchObject({ build_id: newer.buildId });
  });

  it.each(['error', 'timeout', 'interrupted'] as const)('belongs to what serves after %s', async (status) => {
    const [server, newer] = [newServer(), newServer()];
    const { thread_id: threadId } = await newRun(tables.database, server);
    await store().finish(leaseOf(await claimOne(server)), {
      status,
      snapshot: snapshot(['ask']),
      ...(status !== 'interrupted' && { error: '{"error":"E","message":"m"}' }),
    });
    expect(await getThread(tables.database, threadId)).toMatchObject({
      status: status === 'interrupted' ? 'interrupted' : 'error',
      next: ['ask'],
      build_id: null,
    });
    expect(await newRun(tables.database, newer, { threadId })).toMatchObject({ build_id: newer.buildId });
  });

  it('that has runs stays with its build', async () => {
    const [server, newer] = [newServer(), newServer()];
    const { thread_id: threadId } = await newRun(tables.database, server);
    expect(await newRun(tables.database, newer, { threadId })).toMatchObject({ build_id: server.buildId });
  });

  it('waits no more after a person has taken it to its end', async () => {
    const server = newServer();
    const threadId = await waitingThread(server);
    await noteState(tables.database, { threadId, graphId: 'agent' }, snapshot([]));
    expect(await getThread(tables.database, threadId)).toMatchObject({
      status: 'idle',
      waits: false,
      next: [],
    });
  });
});

describe('a run that makes its thread', () => {
  it('is refused on one that somebody else has made since the request was looked at', async () => {
    const { database } = tables;
    const threadId = randomUUID();
    const allows = (metadata: string) => metadata === '{"owner":"bob"}';
    const runOfBob = () =>
      newRun(database, newServer(), { threadId, newThreadMetadata: '{"owner":"bob"}', allows });
    const { refused } = await database.transaction(async (query) => {
      const made = `insert into rt.threads (thread_id, metadata) values ($1, '{"owner":"ann"}')`;
      await query(made, [threadId]);
      const outcome = runOfBob().then(
        () => 'created',
        (error: unknown) => error,
      );
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into rt.threads%'`;
      await until(async () => (await database.query(waiting)).length > 0, {
        what: 'both to make the thread',
      });
      return { refused: outcome };
    });
    expect(await refused).toMatchObject({ refusal: 'thread-not-found' });
    expect(await getThread(database, threadId)).toMatchObject({
      metadata: '{"owner":"ann"}',
      status: 'idle',
      build_id: null,
    });
    expect(await listRuns(database, threadId, { limit: 10, offset: 0 })).toEqual([]);
  });
});

describe('a checkpoint that is being written', () => {
  it('holds nobody up but who would take the run', async () => {
    const server = newServer();
    const { run_id: runId, thread_id: threadId } = await newRun(tables.database, server);
    const lease = leaseOf(await claimOne(server));
    const held = Promise.withResolvers<undefined>();
    const { promise: asked, resolve: hasAsked } = Promise.withResolvers<undefined>();
    const put = tables.database.transaction(async (query) => {
      await query('select rt.holds_lease($1, $2, $3)', [runId, lease.owner, lease.epoch]);
      hasAsked(undefined);
      await held.promise;
    });
    await asked;
    expect(await store().beat(server, [lease])).toEqual([{ runId, epoch: 1, cancel: null }]);
    await cancelRun(tables.database, { threadId, runId }, 'interrupt');
    await newRun(tables.database, server, { threadId });
    await tables.database.query(
      `update rt.runs set lease_until = clock_timestamp() - interval '1 s' where run_id = $1`,
      [runId],
    );
    expect(await store().takeOver(newServer())).toBe(0);
    held.resolve(undefined);
    await put;
    expect(await store().takeOver(newServer())).toBe(1);
  });
});
