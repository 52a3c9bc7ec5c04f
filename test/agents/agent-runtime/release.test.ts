import { describe, expect, it } from 'vitest';
import { storeOf } from '../../../lib/agent-runtime/queue/agent-queue.ts';
import type { Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import { demandByBuild, demandByRevision } from '../../../lib/agent-runtime/tables/demand.ts';
import {
  abandonBuild,
  expireThreads,
  releaseThreads,
  standingElsewhere,
} from '../../../lib/agent-runtime/tables/release.ts';
import { findRun } from '../../../lib/agent-runtime/tables/runs.ts';
import { getThread } from '../../../lib/agent-runtime/tables/threads.ts';
import { leaseOf, newRun, newServer, useTables } from './world.ts';

const tables = useTables();
const store = () => storeOf(tables.database);

async function claimOne(server: Server) {
  const [run, more] = await store().claim(server, 10);
  if (run === undefined || more !== undefined) throw new Error('not one run was due');
  return run;
}

/** A thread whose run has ended at an interrupt. */
async function waitingThread(server: Server, next: readonly string[] = ['ask']): Promise<string> {
  const { thread_id: threadId } = await newRun(tables.database, server);
  const snapshot = { values: '{"n":1}', next, interrupts: '{"task":[]}' };
  await store().finish(leaseOf(await claimOne(server)), { status: 'success', snapshot });
  return threadId;
}

const thread = (id: string) => getThread(tables.database, id);
/** The builds of one test alone: others have threads in the same tables. */
const release = (to: Server, from: Server) => releaseThreads(tables.database, to, { builds: [from.buildId] });

describe('a release of threads', () => {
  it('lets those go that wait, and does nothing when it is asked for again', async () => {
    const [old, serving] = [newServer(), newServer()];
    const threads = [await waitingThread(old), await waitingThread(old)];
    expect(await release(serving, old)).toBe(2);
    for (const id of threads)
      expect(await thread(id)).toMatchObject({
        status: 'interrupted',
        next: ['ask'],
        waits: false,
        build_id: null,
        revision_id: null,
      });
    expect(await release(serving, old)).toBe(0);
    expect(await newRun(tables.database, serving, { threadId: threads[0] ?? '' })).toMatchObject({
      build_id: serving.buildId,
    });
  });

  it('takes along runs that have not begun', async () => {
    const [old, serving] = [newServer(), newServer()];
    const threadId = await waitingThread(old);
    const answer = await newRun(tables.database, old, { threadId });
    const later = await newRun(tables.database, old, { threadId, afterSeconds: 60 });
    expect(await release(serving, old)).toBe(1);
    for (const { run_id: id } of [answer, later])
      expect(await findRun(tables.database, id)).toMatchObject({
        build_id: serving.buildId,
        revision_id: serving.revisionId,
      });
    expect(await thread(threadId)).toMatchObject({ status: 'busy', build_id: serving.buildId });
    expect(await store().claim(old, 1)).toEqual([]);
    expect(await claimOne(serving)).toMatchObject({ runId: answer.run_id, threadNext: ['ask'] });
  });

  it('leaves a thread alone of which a run has begun, also one that was put back', async () => {
    const [old, serving] = [newServer(), newServer()];
    const { run_id: runId, thread_id: threadId } = await newRun(tables.database, old);
    await newRun(tables.database, old, { threadId });
    const lease = leaseOf(await claimOne(old));
    expect(await release(serving, old)).toBe(0);
    await store().handBack(lease, undefined);
    expect(await release(serving, old)).toBe(0);
    expect((await claimOne(old)).runId).toBe(runId);
  });

  it('waits for a claim that is under way, and leaves what that took', async () => {
    const [old, serving] = [newServer(), newServer()];
    const { run_id: runId, thread_id: threadId } = await newRun(tables.database, old);
    const claimed = Promise.withResolvers<undefined>();
    const goOn = Promise.withResolvers<undefined>();
    const claim = tables.database.transaction(async (query) => {
      await query(`update rt.runs set status = 'running', attempt = 1, lease_owner = $2 where run_id = $1`, [
        runId,
        old.owner,
      ]);
      claimed.resolve(undefined);
      await goOn.promise;
    });
    await claimed.promise;
    const released = release(serving, old);
    await expect.poll(async () => waitingForLocks()).toBeGreaterThan(0);
    goOn.resolve(undefined);
    await claim;
    expect(await released).toBe(0);
    expect(await findRun(tables.database, runId)).toMatchObject({ build_id: old.buildId });
    expect(await thread(threadId)).toMatchObject({ build_id: old.buildId });
  });

  it('can be of one revision, and is none of the build that serves', async () => {
    const one = newServer();
    const [two, serving] = [{ ...newServer(one.buildId), revisionId: 'two' }, newServer()];
    const [ofOne, ofTwo] = [await waitingThread(one), await waitingThread(two)];
    expect(await releaseThreads(tables.database, one, { revisions: ['two'] })).toBe(0);
    expect(await releaseThreads(tables.database, serving, { revisions: ['two'] })).toBe(1);
    expect(await thread(ofOne)).toMatchObject({ waits: true, build_id: one.buildId });
    expect(await thread(ofTwo)).toMatchObject({ waits: false, build_id: null });
  });

  it('of more threads than one transaction holds is of them all', async () => {
    const [old, serving] = [newServer(), newServer()];
    await tables.database.query(
      `insert into rt.threads (thread_id, status, next, waits, graph_id, build_id, revision_id)
      select gen_random_uuid(), 'interrupted', '{ask}', true, 'agent', $1, $2 from generate_series(1, 450)`,
      [old.buildId, old.revisionId],
    );
    expect(await release(serving, old)).toBe(450);
  });
});

async function waitingForLocks(): Promise<number> {
  const [row] = await tables.database.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return row?.count ?? 0;
}

describe('what waits elsewhere', () => {
  it('is counted by where it would go on, but for runs that have begun', async () => {
    const [old, serving] = [newServer(), newServer()];
    await waitingThread(old, ['standing']);
    await waitingThread(old, ['standing', 'also']);
    const [answered, begun] = [
      await waitingThread(old, ['standing']),
      await waitingThread(old, ['standing']),
    ];
    await newRun(tables.database, old, { threadId: begun });
    await claimOne(old);
    await newRun(tables.database, old, { threadId: answered });
    const rows = await standingElsewhere(tables.database, serving.buildId);
    expect(rows.filter(({ next }) => next.includes('standing'))).toEqual([
      { graph_id: 'agent', next: ['standing'], threads: 2 },
      { graph_id: 'agent', next: ['standing', 'also'], threads: 1 },
    ]);
    const own = await standingElsewhere(tables.database, old.buildId);
    expect(own.filter(({ next }) => next.includes('standing'))).toEqual([]);
  });
});

const KEPT = 'was kept for 30 days after another had taken its place (on_release.days)';

describe('a build that is kept no longer', () => {
  it('ends the wait of its threads with the reason', async () => {
    const [old, serving] = [newServer(), newServer()];
    const [waiting, other] = [await waitingThread(old), await waitingThread(serving)];
    const answered = await waitingThread(old);
    await newRun(tables.database, old, { threadId: answered });
    expect(await expireThreads(tables.database, old.buildId, KEPT)).toEqual([
      { revision_id: old.revisionId, threads: 1 },
    ]);
    const { error, ...rest } = await thread(waiting);
    expect(rest).toMatchObject({ status: 'error', waits: false, build_id: null, next: ['ask'] });
    expect(JSON.parse(error ?? '')).toEqual({
      error: 'RevisionExpired',
      message: `The thread waited in revision ${old.revisionId}, which was kept for 30 days after another had taken its place (on_release.days). Start a run with an input on it.`,
    });
    expect(await thread(answered)).toMatchObject({ status: 'busy', build_id: old.buildId });
    expect(await thread(other)).toMatchObject({ status: 'interrupted', build_id: serving.buildId });
    expect(await expireThreads(tables.database, old.buildId, KEPT)).toEqual([]);
  });
});

describe('a build that is not there any more', () => {
  it('ends its runs and the wait of its threads with the reason, and leaves those of others', async () => {
    const [gone, serving] = [newServer(), newServer()];
    const waiting = await waitingThread(gone);
    const answered = await waitingThread(gone);
    const { run_id: answer } = await newRun(tables.database, gone, { threadId: answered });
    const begun = await newRun(tables.database, gone);
    const next = await newRun(tables.database, gone, { threadId: begun.thread_id, afterSeconds: 3_600 });
    for (const claimed of await store().claim(gone, 10)) await store().handBack(leaseOf(claimed), undefined);
    const other = await newRun(tables.database, serving);
    const reason = 'is not on this machine any more';
    expect(await abandonBuild(tables.database, gone.buildId, reason)).toEqual([
      { revision_id: gone.revisionId, threads: 3 },
    ]);
    for (const id of [answer, begun.run_id, next.run_id]) {
      const { status, error } = (await findRun(tables.database, id)) ?? {};
      expect([status, JSON.parse(error ?? '')]).toEqual([
        'error',
        { error: 'RevisionGone', message: `This run is of revision ${gone.revisionId}, which ${reason}.` },
      ]);
    }
    for (const id of [waiting, answered, begun.thread_id])
      expect(await thread(id)).toMatchObject({ status: 'error', waits: false, build_id: null });
    expect((await findRun(tables.database, other.run_id))?.status).toBe('pending');
    expect(await abandonBuild(tables.database, gone.buildId, reason)).toEqual([]);
  });
});

describe('demand', () => {
  it('names each build that has runs, calls or threads that wait', async () => {
    const [server, idle] = [newServer(), newServer()];
    await newRun(tables.database, server);
    await newRun(tables.database, server, { afterSeconds: 3_600 });
    const threadId = await waitingThread(idle);
    const demand = await demandByBuild(tables.database);
    const of = (buildId: string) => demand.find(({ build_id }) => build_id === buildId);
    expect(of(server.buildId)).toMatchObject({ pending: 1, running: 0, calls: 0, waiting: 0 });
    expect(of(idle.buildId)).toMatchObject({ pending: 0, waiting: 1, revision_id: idle.revisionId });
    expect(await demandByRevision(tables.database)).toEqual(
      expect.arrayContaining([
        {
          build_id: server.buildId,
          revision_id: server.revisionId,
          runs: 2,
          waiting: 0,
          oldest_at: null,
        },
        {
          build_id: idle.buildId,
          revision_id: idle.revisionId,
          runs: 0,
          waiting: 1,
          oldest_at: (await thread(threadId)).state_updated_at,
        },
      ]),
    );
    expect((await thread(threadId)).build_id).toBe(idle.buildId);
  });
});
