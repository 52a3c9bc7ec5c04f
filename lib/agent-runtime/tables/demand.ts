import type { Database } from './database.ts';
import type { Timestamp } from './rows.ts';

/** What is wanted of a build: whether a server of it is needed, and what waits for it. */
export type Demand = {
  build_id: string;
  /** Runs that are due, and since when the oldest is, in seconds. */
  pending: number;
  pending_seconds: number;
  running: number;
  /** Runs that wait at all, those of a later time too. */
  scheduled: number;
  calls: number;
  calls_seconds: number;
  /** Threads that wait for a person and belong to the build, and since when the oldest does. */
  waiting: number;
  waiting_seconds: number;
  /** The newest revision that runs or threads are of. */
  revision_id: string | null;
};

/** Every build that has something to do, or that threads wait for. */
export const demandByBuild = async (database: Database): Promise<Demand[]> =>
  database.query<Demand>(
    `with wanted as (
      select build_id, revision_id, 'pending' as kind, not_before as since from rt.runs
        where ready and status = 'pending' and not_before <= clock_timestamp()
      union all select build_id, revision_id, 'scheduled', not_before from rt.runs where status = 'pending'
      union all select build_id, revision_id, 'running', started_at from rt.runs where status = 'running'
      union all select build_id, null, 'calls', created_at from rt.calls where status in ('pending', 'running')
      union all select build_id, revision_id, 'waiting', coalesce(state_updated_at, updated_at) from rt.threads
        where waits and build_id is not null
    )
    select build_id, max(revision_id) as revision_id,
      count(*) filter (where kind = 'pending') as pending, ${age('pending')} as pending_seconds,
      count(*) filter (where kind = 'running') as running,
      count(*) filter (where kind = 'scheduled') as scheduled,
      count(*) filter (where kind = 'calls') as calls, ${age('calls')} as calls_seconds,
      count(*) filter (where kind = 'waiting') as waiting, ${age('waiting')} as waiting_seconds
    from wanted group by build_id order by build_id`,
  );

function age(kind: string): string {
  return `coalesce(extract(epoch from clock_timestamp() - min(since) filter (where kind = '${kind}'))::float8, 0)`;
}

/** What of a revision waits or runs; `oldest_at`: since when the first thread waits for a person. */
export type RevisionDemand = {
  build_id: string;
  revision_id: string;
  /** Pending or running, those of a later time too. */
  runs: number;
  waiting: number;
  oldest_at: Timestamp | null;
};

/** Each revision that has runs, or that threads wait in; those with most of them first. */
export const demandByRevision = async (database: Database): Promise<RevisionDemand[]> =>
  database.query<RevisionDemand>(
    `with wanted as (
      select build_id, revision_id, null::timestamptz as waits_since from rt.runs where status in ('pending', 'running')
      union all select build_id, revision_id, coalesce(state_updated_at, updated_at) from rt.threads
        where waits and status <> 'busy' and build_id is not null
    )
    select build_id, revision_id, count(*) filter (where waits_since is null) as runs,
      count(waits_since) as waiting, min(waits_since) as oldest_at
    from wanted group by build_id, revision_id order by waiting desc, runs desc, revision_id`,
  );
