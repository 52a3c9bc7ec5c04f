import type { Lease, StoredEvent } from '../queue/queue-store.ts';
import type { Database, Query } from './database.ts';
import type { RunEvent, RunStatus } from './rows.ts';

/**
 * Stores events of a run that the server still has; false: it is another's. Followers in other processes hear
 * of them once for all.
 */
export async function appendEvents(
  query: Query,
  { runId, owner, epoch }: Lease,
  events: readonly StoredEvent[],
): Promise<boolean> {
  const rows = await query(
    `with mine as (
      select run_id from rt.runs where run_id = $1 and lease_owner = $2 and epoch = $3 and status = 'running'
    ), stored as (
      insert into rt.run_events (run_id, seq, event, data)
      select run_id, seq, event, data from mine, unnest($4::bigint[], $5::text[], $6::text[]) as e (seq, event, data)
      on conflict do nothing
    )
    select pg_notify('rt_ev', run_id::text) from mine`,
    [
      runId,
      owner,
      epoch,
      events.map(({ seq }) => seq),
      events.map(({ event }) => event),
      events.map(({ data }) => data),
    ],
  );
  return rows.length > 0;
}

/** So many events are read at once, so that a follower who is far behind needs no memory for all. */
const PAGE = 500;

/** The stored events behind `after`, in their order; a full page may have more behind it. */
export const readEvents = (query: Query, runId: string, after: number): Promise<RunEvent[]> =>
  query<RunEvent>(
    'select seq, event, data from rt.run_events where run_id = $1 and seq > $2 order by seq limit $3',
    [runId, after, PAGE],
  );

/** The newest stored event, 0 if there is none: where a follower begins who wants only what comes. */
export async function newestEvent(query: Query, runId: string): Promise<number> {
  const [row] = await query<{ seq: number | null }>(
    'select max(seq) as seq from rt.run_events where run_id = $1',
    [runId],
  );
  return row?.seq ?? 0;
}

/** Undefined: there is no such run (any more). */
export async function statusOf(query: Query, runId: string): Promise<RunStatus | undefined> {
  const [row] = await query<{ status: RunStatus }>('select status from rt.runs where run_id = $1', [runId]);
  return row?.status;
}

/** So many runs are swept at once, so that no statement is long. */
const SWEPT_AT_ONCE = 200;

/** Removes events whose time is over. */
export async function sweepEvents(query: Query): Promise<void> {
  await query(
    `with over as (
      select run_id from rt.runs where events_until < clock_timestamp() limit ${SWEPT_AT_ONCE} for update skip locked
    ), gone as (delete from rt.run_events e using over where e.run_id = over.run_id)
    update rt.runs r set events_until = null from over where r.run_id = over.run_id`,
  );
}

/** Removes threads of runs without one, whose last run is over for longer than its events are kept. */
export async function sweepTemporaryThreads(query: Query): Promise<void> {
  await query(
    `delete from rt.threads where thread_id in (
      select thread_id from rt.threads t where temporary and status <> 'busy'
      and not exists (select 1 from rt.runs r where r.thread_id = t.thread_id and r.events_until is not null)
      limit ${SWEPT_AT_ONCE} for update skip locked)`,
  );
}

/** Forgets servers that are gone for an hour. */
export async function sweepServers(database: Database): Promise<void> {
  await database.query(
    `delete from rt.servers s where seen_at < clock_timestamp() - interval '1 hour'
    and not exists (select 1 from rt.runs r where r.status = 'running' and r.lease_owner = s.owner)`,
  );
}
