import { v7 } from 'uuid';
import type { Snapshot } from '../queue/port.ts';
import type { Database } from './database.ts';
import { lockThread, restThread } from './ends.ts';
import { RefusedError } from './errors.ts';
import { mergedOf } from './raw-json.ts';
import type { Json, ThreadRow, ThreadStatus } from './rows.ts';

const COLUMNS = `thread_id, status, metadata, config, "values", interrupts, error, state, next, waits, graph_id, build_id,
  revision_id, created_at, updated_at, state_updated_at`;

export type NewThread = { readonly threadId?: string; readonly metadata?: Json };

/** The thread, and whether it was there before. */
export type CreatedThread = { readonly thread: ThreadRow; readonly existed: boolean };

/** Makes a thread, or finds the one of that id. */
export async function createThread(database: Database, given: NewThread): Promise<CreatedThread> {
  const { threadId = v7(), metadata = '{}' } = given;
  const [created] = await database.query<ThreadRow>(
    `insert into rt.threads (thread_id, metadata) values ($1, $2) on conflict (thread_id) do nothing returning ${COLUMNS}`,
    [threadId, metadata],
  );
  if (created !== undefined) return { thread: created, existed: false };
  return { thread: await getThread(database, threadId), existed: true };
}

export const threadNotFound = (threadId: string): RefusedError =>
  new RefusedError('thread-not-found', `Thread with ID ${threadId} not found`);

/** Throws RefusedError `thread-not-found`. */
export async function getThread(database: Database, threadId: string): Promise<ThreadRow> {
  const [thread] = await database.query<ThreadRow>(`select ${COLUMNS} from rt.threads where thread_id = $1`, [
    threadId,
  ]);
  if (thread === undefined) throw threadNotFound(threadId);
  return thread;
}

/** Merges metadata into the thread's. */
export const updateThread = async (
  database: Database,
  threadId: string,
  metadata: Json,
): Promise<ThreadRow> =>
  database.transaction(async (query) => {
    await lockThread(query, threadId);
    const [before] = await query<Pick<ThreadRow, 'metadata'>>(
      'select metadata from rt.threads where thread_id = $1',
      [threadId],
    );
    if (before === undefined) throw threadNotFound(threadId);
    const [after] = await query<ThreadRow>(
      `update rt.threads set metadata = $2, updated_at = clock_timestamp() where thread_id = $1 returning ${COLUMNS}`,
      [threadId, mergedOf(before.metadata, metadata)],
    );
    if (after === undefined) throw threadNotFound(threadId);
    return after;
  });

/** Removes a thread with its runs and checkpoints; a run that is under way is fenced at its next step. */
export async function deleteThread(database: Database, threadId: string): Promise<void> {
  const gone = await database.query('delete from rt.threads where thread_id = $1 returning thread_id', [
    threadId,
  ]);
  if (gone.length === 0) throw threadNotFound(threadId);
}

/** Writes how a thread stands after a person has changed its state, by the graph that has changed it. */
export const noteState = async (
  database: Database,
  { threadId, graphId }: { threadId: string; graphId: string },
  snapshot: Snapshot,
): Promise<void> =>
  database.transaction(async (query) => {
    await lockThread(query, threadId);
    await query('update rt.threads set graph_id = $2 where thread_id = $1 and graph_id is null', [
      threadId,
      graphId,
    ]);
    await restThread(query, threadId, { snapshot, ...(snapshot.next.length === 0 && { waits: false }) });
  });

const SORTS = {
  thread_id: 'thread_id',
  status: 'status',
  created_at: 'created_at',
  updated_at: 'updated_at',
  state_updated_at: 'state_updated_at',
} as const;

export type ThreadFilter = {
  readonly ids?: readonly string[];
  /** Objects that the thread's must contain. */
  readonly metadata?: Json;
  readonly values?: Json;
  readonly status?: ThreadStatus;
};

export type ThreadPage = {
  readonly limit: number;
  readonly offset: number;
  readonly sortBy?: keyof typeof SORTS;
  readonly descending?: boolean;
};

const WHERE = `not temporary and ($1::uuid[] is null or thread_id = any($1))
  and ($2::text is null or $2 = '{}' or metadata_search @> rt.searchable($2))
  and ($3::text is null or values_search @> rt.searchable($3)) and ($4::text is null or status = $4)`;

const filterValues = ({ ids, metadata, values, status }: ThreadFilter): unknown[] => [
  ids === undefined ? null : [...ids],
  metadata ?? null,
  values ?? null,
  status ?? null,
];

/** A page of threads, the newest first unless it says otherwise. */
export const searchThreads = async (
  database: Database,
  filter: ThreadFilter,
  { limit, offset, sortBy = 'created_at', descending = true }: ThreadPage,
): Promise<ThreadRow[]> => {
  const direction = descending ? 'desc nulls last' : 'asc';
  return database.query<ThreadRow>(
    `select ${COLUMNS} from rt.threads where ${WHERE}
    order by ${SORTS[sortBy]} ${direction}, thread_id ${descending ? 'desc' : 'asc'} limit $5 offset $6`,
    [...filterValues(filter), limit, offset],
  );
};

export async function countThreads(database: Database, filter: ThreadFilter): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from rt.threads where ${WHERE}`,
    filterValues(filter),
  );
  return row?.count ?? 0;
}
