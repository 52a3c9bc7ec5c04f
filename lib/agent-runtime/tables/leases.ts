import type { Lease, Renewed, Server } from '../queue/queue-store.ts';
import { BEAT_MILLISECONDS, type ClaimedRun, LEASE_MILLISECONDS } from '../queue/rules.ts';
import type { Query } from './database.ts';
import type { RunRow } from './rows.ts';

const LEASE = `interval '${LEASE_MILLISECONDS} milliseconds'`;

/** The key of the advisory lock that a server holds by its session, as Postgres reckons it. */
export const lockKey = (owner: string): string => `hashtextextended(${owner}::text, 0)`;

type ClaimedRow = Pick<
  RunRow,
  | 'run_id'
  | 'thread_id'
  | 'assistant_id'
  | 'graph_id'
  | 'build_id'
  | 'revision_id'
  | 'attempt'
  | 'epoch'
  | 'kwargs'
  | 'metadata'
  | 'cancel'
  | 'failures'
> & { last_failure: string | null; resumable: boolean; thread_next: string[]; running_seconds: number };

/** Takes runs whose turn has come: one statement, however many wait. */
export async function claimRuns(query: Query, server: Server, count: number): Promise<ClaimedRun[]> {
  const rows = await query<ClaimedRow>(
    `with due as (
      select run_id from rt.runs
      where build_id = $2 and ready and status = 'pending' and not_before <= clock_timestamp()
      order by not_before limit $4 for update skip locked
    ), claimed as (
      update rt.runs r set status = 'running', lease_owner = $1, lease_until = clock_timestamp() + ${LEASE},
        epoch = r.epoch + 1, attempt = r.attempt + 1, revision_id = $3,
        started_at = coalesce(r.started_at, clock_timestamp()), updated_at = clock_timestamp()
      from due where r.run_id = due.run_id
      returning r.*
    )
    select c.run_id, c.thread_id, c.assistant_id, c.graph_id, c.build_id, c.revision_id, c.attempt, c.epoch, c.kwargs,
      c.metadata, c.cancel, c.failures, c.last_failure, c.resumable, t.next as thread_next,
      extract(epoch from clock_timestamp() - c.started_at)::float8 as running_seconds
    from claimed c join rt.threads t using (thread_id) order by c.not_before`,
    [server.owner, server.buildId, server.revisionId, count],
  );
  return rows.map((row) => claimedOf(row, server.owner));
}

const claimedOf = (row: ClaimedRow, owner: string): ClaimedRun => ({
  runId: row.run_id,
  threadId: row.thread_id,
  assistantId: row.assistant_id,
  graphId: row.graph_id,
  buildId: row.build_id,
  revisionId: row.revision_id,
  attempt: row.attempt,
  owner,
  epoch: row.epoch,
  kwargs: row.kwargs,
  metadata: row.metadata,
  cancel: row.cancel,
  failures: row.failures,
  lastFailure: row.last_failure,
  resumable: row.resumable,
  threadNext: row.thread_next,
  runningSeconds: row.running_seconds,
});

/** Milliseconds until the first run of the build that waits for its time. */
export async function nextDue(query: Query, buildId: string): Promise<number | undefined> {
  const [row] = await query<{ milliseconds: number | null }>(
    `select 1000 * extract(epoch from min(not_before) - clock_timestamp())::float8 as milliseconds
    from rt.runs where build_id = $1 and ready and status = 'pending'`,
    [buildId],
  );
  return row?.milliseconds ?? undefined;
}

/**
 * Renews leases. Only of what the server has in hand: a run whose claim's answer was lost would otherwise
 * never come back.
 */
export async function renewLeases(
  query: Query,
  server: Server,
  inHand: readonly Lease[],
): Promise<Renewed[]> {
  const rows = await query<Pick<RunRow, 'run_id' | 'epoch' | 'cancel'>>(
    `with seen as (update rt.servers set seen_at = clock_timestamp() where owner = $1)
    update rt.runs r set lease_until = clock_timestamp() + ${LEASE}
    from unnest($2::uuid[], $3::bigint[]) as held (run_id, epoch)
    where r.run_id = held.run_id and r.epoch = held.epoch and r.lease_owner = $1 and r.status = 'running'
    returning r.run_id, r.epoch, r.cancel`,
    [server.owner, inHand.map(({ runId }) => runId), inHand.map(({ epoch }) => epoch)],
  );
  return rows.map(({ run_id, epoch, cancel }) => ({ runId: run_id, epoch, cancel }));
}

/**
 * Puts back runs of which the server knows nothing, though they are its own: the answer of their claim was
 * lost. To be called while no claim is under way.
 */
export async function putBackUnknown(query: Query, server: Server, known: readonly Lease[]): Promise<number> {
  const rows = await query(
    `update rt.runs r set status = 'pending', lease_owner = null, lease_until = null, updated_at = clock_timestamp()
    where r.lease_owner = $1 and r.status = 'running' and not exists (
      select 1 from unnest($2::uuid[], $3::bigint[]) as known (run_id, epoch)
      where known.run_id = r.run_id and known.epoch = r.epoch)
    returning pg_notify('rt_wake', r.build_id)`,
    [server.owner, known.map(({ runId }) => runId), known.map(({ epoch }) => epoch)],
  );
  return rows.length;
}

/**
 * A lease that has so much left was renewed by the last beat that was due, or the one before: its server may
 * have lost its session alone, and is about to lock again.
 */
const BEAT_IS_MISSING = `interval '${LEASE_MILLISECONDS - BEAT_MILLISECONDS * 1.5} milliseconds'`;

const HOLDS_LOCK = `exists (
  select 1 from pg_locks l where l.locktype = 'advisory' and l.objsubid = 1
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = ${lockKey('r.lease_owner')})`;

/**
 * Puts back the runs whose lease is over, and those of servers on this machine that hold no lock any more. It
 * counts as a failure of the process, unless Postgres itself was away since the last beat.
 */
export async function takeOverRuns(query: Query, server: Server): Promise<number> {
  const rows = await query(
    `with gone as (
      select r.run_id from rt.runs r left join rt.servers s on s.owner = r.lease_owner
      where r.status = 'running' and (r.lease_until < clock_timestamp() or (
        s.holds_lock and r.lease_owner <> $1 and r.lease_until < clock_timestamp() + ${BEAT_IS_MISSING}
        and not ${HOLDS_LOCK}))
      for update of r skip locked
    )
    update rt.runs r set status = 'pending', lease_owner = null, lease_until = null, updated_at = clock_timestamp(),
      failures = r.failures + case when pg_postmaster_start_time() > r.lease_until - ${LEASE} then 0 else 1 end,
      last_failure = 'its server has ended, or has not reached Postgres for ${LEASE_MILLISECONDS / 1000} seconds'
    from gone where r.run_id = gone.run_id
    returning pg_notify('rt_wake', r.build_id)`,
    [server.owner],
  );
  return rows.length;
}

/** Puts a run back; it stays the one whose turn it is. */
export async function handBackRun(
  query: Query,
  { runId, owner, epoch }: Lease,
  failure: string | undefined,
): Promise<boolean> {
  const rows = await query(
    `update rt.runs set status = 'pending', lease_owner = null, lease_until = null, updated_at = clock_timestamp(),
      failures = failures + case when $4::text is null then 0 else 1 end,
      last_failure = coalesce($4, last_failure)
    where run_id = $1 and lease_owner = $2 and epoch = $3 and status = 'running'
    returning pg_notify('rt_wake', build_id), pg_notify('rt_ev', run_id::text)`,
    [runId, owner, epoch, failure ?? null],
  );
  return rows.length > 0;
}

/** Forgets earlier failures of a run's process. */
export async function noteStepOfRun(query: Query, { runId, owner, epoch }: Lease): Promise<void> {
  await query(
    `update rt.runs set failures = 0 where run_id = $1 and lease_owner = $2 and epoch = $3 and failures > 0`,
    [runId, owner, epoch],
  );
}
