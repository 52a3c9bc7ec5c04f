import type { Snapshot } from '../queue/port.ts';
import type { Finished, Lease, Outcome } from '../queue/queue-store.ts';
import type { Database, Query } from './database.ts';

/**
 * Events are read for so long after a run's end, by whoever was cut off; longer if a client asked for a
 * stream to resume.
 */
export const EVENTS_SECONDS = 60;
const RESUMABLE_EVENTS_SECONDS = 3_600;

const IS_MINE = `run_id = $1 and lease_owner = $2 and epoch = $3 and status = 'running'`;

/** Locks the thread first, as everything does that changes whose turn it is. */
export async function lockThread(query: Query, threadId: string): Promise<void> {
  await query('select 1 from rt.threads where thread_id = $1 for update', [threadId]);
}

/** Ends a run, and gives the thread's next one its turn. */
export const finishRun = async (
  database: Database,
  { runId, threadId, owner, epoch }: Lease,
  outcome: Outcome,
): Promise<Finished> =>
  database.transaction(async (query) => {
    await lockThread(query, threadId);
    const { status, output = null, error = null, snapshot } = outcome;
    const [ended] = await query(
      `update rt.runs set status = $4, output = $5, error = $6, ready = false, cancel = null, lease_owner = null,
        lease_until = null, updated_at = clock_timestamp(), events_until = clock_timestamp() + make_interval(
          secs => case when resumable then ${RESUMABLE_EVENTS_SECONDS} else ${EVENTS_SECONDS} end)
      where ${IS_MINE} and cancel is distinct from 'rollback'
      returning pg_notify('rt_ev', run_id::text)`,
      [runId, owner, epoch, status, output, error],
    );
    if (ended === undefined) {
      const [left] = await query(`select 1 from rt.runs where ${IS_MINE}`, [runId, owner, epoch]);
      return left === undefined ? 'fenced' : 'rollback';
    }
    const waits = status === 'success' && (snapshot?.next.length ?? 0) > 0;
    await restThread(query, threadId, { snapshot, error, waits });
    return 'finished';
  });

/**
 * Removes a run whose checkpoints are gone, and gives the thread's next one its turn: the thread is as before
 * the run.
 */
export const removeRun = async (
  database: Database,
  { runId, threadId, owner, epoch }: Lease,
): Promise<boolean> =>
  database.transaction(async (query) => {
    await lockThread(query, threadId);
    const gone = await query(
      `delete from rt.runs where ${IS_MINE} returning pg_notify('rt_ev', run_id::text)`,
      [runId, owner, epoch],
    );
    if (gone.length === 0) return false;
    await restThread(query, threadId, {});
    return true;
  });

type Rest = {
  /** Absent: nothing has changed the thread's checkpoints, or nobody can tell. */
  readonly snapshot?: Snapshot | undefined;
  /** Null: there is none any more. Absent: as before. */
  readonly error?: string | null;
  /** Whether it waits for a person now. Absent: as before. */
  readonly waits?: boolean;
};

/**
 * Writes how a thread stands when a run of it is over: to be called under the thread's lock. A thread that
 * has more runs or waits stays with its build; any other belongs to whatever serves.
 */
export async function restThread(query: Query, threadId: string, rest: Rest): Promise<void> {
  const more = await giveTurn(query, threadId);
  const { snapshot, error, waits } = rest;
  await query(
    `update rt.threads set
      status = case when $2 then 'busy'
        when case when $3 then $4::text else error end is not null then 'error'
        when cardinality(coalesce($5, next)) > 0 then 'interrupted' else 'idle' end,
      error = case when $3 then $4 else error end, next = coalesce($5, next), "values" = coalesce($6, "values"),
      interrupts = coalesce($7, interrupts), state = case when $5 is null then state else $8 end,
      waits = coalesce($9, waits),
      build_id = case when $2 or coalesce($9, waits) then build_id end,
      revision_id = case when $2 or coalesce($9, waits) then revision_id end,
      updated_at = clock_timestamp(),
      state_updated_at = case when $5 is null then state_updated_at else clock_timestamp() end
    where thread_id = $1`,
    [
      threadId,
      more,
      error !== undefined,
      error ?? null,
      snapshot === undefined ? null : [...snapshot.next],
      snapshot?.values ?? null,
      snapshot?.interrupts ?? null,
      snapshot?.state ?? null,
      waits ?? null,
    ],
  );
}

/**
 * Gives the turn to the run of the thread that is due first, unless one has it: to be called under the
 * thread's lock. Says whether any run is left.
 */
export async function giveTurn(query: Query, threadId: string): Promise<boolean> {
  const [first] = await query<{ run_id: string; ready: boolean; build_id: string }>(
    `select run_id, ready, build_id from rt.runs where thread_id = $1 and status in ('pending', 'running')
    order by ready desc, not_before, run_id limit 1`,
    [threadId],
  );
  if (first === undefined) return false;
  if (!first.ready)
    await query(`update rt.runs set ready = true where run_id = $1 returning pg_notify('rt_wake', $2)`, [
      first.run_id,
      first.build_id,
    ]);
  return true;
}
