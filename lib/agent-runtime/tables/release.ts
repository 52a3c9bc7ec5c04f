import type { Server } from '../queue/queue-store.ts';
import type { Database, Query } from './database.ts';
import { EVENTS_SECONDS, lockThread, restThread } from './ends.ts';

/** Which threads a release is about; none of the two: those of all other builds. */
export type ReleaseOf = { readonly builds?: readonly string[]; readonly revisions?: readonly string[] };

/** So many threads are held by one transaction. */
const BATCH = 200;

/** $1 is the build that gets them, $2 and $3 say of which they are. */
const IS_OF = `build_id <> $1 and ($2::text[] is null or build_id = any($2)) and ($3::text[] is null or revision_id = any($3))`;

/** A run that has begun has written checkpoints of its graph, and comes to its end where it is. */
const NONE_BEGUN = `not exists (
  select 1 from rt.runs r where r.thread_id = t.thread_id and r.status in ('pending', 'running') and r.attempt > 0)`;

/**
 * Lets threads go that wait in other builds, with their runs if none has begun: the server's build goes on
 * with them. Gives how many; asked again, none.
 */
export async function releaseThreads(
  database: Database,
  { buildId, revisionId }: Pick<Server, 'buildId' | 'revisionId'>,
  { builds, revisions }: ReleaseOf,
): Promise<number> {
  const of = [buildId, builds ?? null, revisions ?? null];
  for (let count = 0; ; ) {
    const released = await database.transaction(async (query) => releaseSome(query, of, revisionId));
    count += released;
    if (released === 0) return count;
  }
}

async function releaseSome(query: Query, of: readonly unknown[], revisionId: string): Promise<number> {
  // In one order, so that two releases do not wait for each other.
  const held = await query<{ thread_id: string }>(
    `select thread_id from rt.threads t where (waits or status = 'busy') and ${IS_OF} and ${NONE_BEGUN}
    order by thread_id limit ${BATCH} for update`,
    of,
  );
  const ids = held.map(({ thread_id: id }) => id);
  if (ids.length === 0) return 0;
  // Whoever claims one of these meanwhile is waited for, and seen by the next statement.
  await query(`select 1 from rt.runs where thread_id = any($1) and status = 'pending' for no key update`, [
    ids,
  ]);
  const threads = await query<{ thread_id: string }>(
    `update rt.threads t set waits = false, updated_at = clock_timestamp(),
      build_id = case when status = 'busy' then $2 end, revision_id = case when status = 'busy' then $3 end
    where thread_id = any($1) and ${NONE_BEGUN} returning thread_id`,
    [ids, of[0], revisionId],
  );
  await query(
    `update rt.runs set build_id = $2, revision_id = $3, updated_at = clock_timestamp()
    where thread_id = any($1) and status = 'pending' returning pg_notify('rt_wake', $2)`,
    [threads.map(({ thread_id: id }) => id), of[0], revisionId],
  );
  return threads.length;
}

/** Threads of one revision that were given up. */
export type Expired = { revision_id: string | null; threads: number };

/**
 * Ends the wait of threads whose build is not kept any longer: each is an error that says so. `reason` says
 * why of the revision, in a clause.
 */
export const expireThreads = async (
  database: Database,
  buildId: string,
  reason: string,
): Promise<Expired[]> =>
  database.query<Expired>(
    `with gone as (
      update rt.threads t set status = 'error', waits = false, build_id = null, revision_id = null,
        updated_at = clock_timestamp(), error = json_build_object('error', 'RevisionExpired', 'message', format(
          'The thread waited in revision %s, which %s. Start a run with an input on it.',
          before.revision_id, $2::text))::text
      from (
        select thread_id, revision_id from rt.threads where build_id = $1 and waits and status <> 'busy'
        order by thread_id for update
      ) as before
      where t.thread_id = before.thread_id returning before.revision_id
    )
    select revision_id, count(*) as threads from gone group by revision_id order by revision_id`,
    [buildId, reason],
  );

/** Ends the runs of a build that nobody can start any more, and the wait of its threads. */
export async function abandonBuild(database: Database, buildId: string, reason: string): Promise<Expired[]> {
  const ended = new Map<string | null, number>();
  const count = ({ revision_id: id, threads }: Expired) => void ended.set(id, threads + (ended.get(id) ?? 0));
  for (;;) {
    const held = await database.query<{ thread_id: string }>(
      `select distinct thread_id from rt.runs where build_id = $1 and status = 'pending' limit ${BATCH}`,
      [buildId],
    );
    for (const { thread_id: id } of held)
      for (const revision_id of await endRuns(database, id, { buildId, reason }))
        count({ revision_id, threads: 1 });
    if (held.length === 0) break;
  }
  for (const expired of await expireThreads(database, buildId, reason)) count(expired);
  return [...ended].map(([revision_id, threads]) => ({ revision_id, threads }));
}

/** Ends the runs of one thread. Gives the revision that it was of, if it had any. */
const endRuns = async (
  database: Database,
  threadId: string,
  { buildId, reason }: { buildId: string; reason: string },
): Promise<(string | null)[]> =>
  database.transaction(async (query) => {
    await lockThread(query, threadId);
    const ended = await query<{ revision_id: string | null; error: string }>(
      `update rt.runs set status = 'error', ready = false, cancel = null, updated_at = clock_timestamp(),
        error = json_build_object('error', 'RevisionGone', 'message',
          format('This run is of revision %s, which %s.', revision_id, $3::text))::text,
        events_until = clock_timestamp() + make_interval(secs => ${EVENTS_SECONDS})
      where thread_id = $1 and build_id = $2 and status = 'pending'
      returning revision_id, error, pg_notify('rt_ev', run_id::text)`,
      [threadId, buildId, reason],
    );
    const [first] = ended;
    if (first === undefined) return [];
    await restThread(query, threadId, { error: first.error, waits: false });
    return [first.revision_id];
  });

/** Threads that wait in other builds, by where they would go on. */
export type Standing = { graph_id: string | null; next: string[]; threads: number };

/** Those that a release of all would give to this build. */
export const standingElsewhere = async (database: Database, buildId: string): Promise<Standing[]> =>
  database.query<Standing>(
    `select graph_id, next, count(*) as threads from rt.threads t
    where waits and build_id <> $1 and next <> '{}' and not temporary and ${NONE_BEGUN}
    group by graph_id, next order by threads desc, graph_id, next`,
    [buildId],
  );
