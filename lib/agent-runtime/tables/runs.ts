import { v7 } from 'uuid';
import type { Server } from '../queue/queue-store.ts';
import type { Database, Query } from './database.ts';
import { lockThread, restThread } from './ends.ts';
import { RefusedError } from './errors.ts';
import { mergedOf } from './raw-json.ts';
import type { CancelAction, Json, MultitaskStrategy, RunRow, ThreadRow } from './rows.ts';

export const RUN_COLUMNS = `run_id, thread_id, assistant_id, graph_id, build_id, revision_id, status, multitask_strategy, kwargs,
  metadata, attempt, failures, epoch, lease_owner, cancel, output, error, not_before, created_at, updated_at`;

export type NewRun = {
  /** Absent: a thread of its own is made, which is removed after it if the run is `temporary`. */
  readonly threadId?: string;
  readonly createsThread?: boolean;
  readonly temporary?: boolean;
  readonly assistantId: string;
  readonly graphId: string;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly kwargs: Json;
  readonly metadata: Json;
  /** Merged into the thread's. */
  readonly threadMetadata?: Json;
  /** Of a thread that is made for the run. */
  readonly newThreadMetadata?: Json;
  readonly afterSeconds?: number;
  /** Events are kept for longer, so that a client can come back to the stream. */
  readonly resumable?: boolean;
  /** Whether a thread of this metadata may have the run; one that the run makes is its own. */
  readonly allows?: (threadMetadata: Json) => boolean;
};

type LiveRun = Pick<RunRow, 'run_id' | 'status' | 'attempt'> & { ready: boolean; is_later: boolean };

/**
 * Puts a run into the queue, under the rules of its multitask strategy. It gets the thread's build if the
 * thread waits or has runs, else the one of the server that received it.
 */
export const createRun = async (database: Database, server: Server, run: NewRun): Promise<RunRow> =>
  database.transaction(async (query) => {
    const thread = await threadFor(query, run);
    const { thread_id: threadId } = thread;
    const afterSeconds = run.afterSeconds ?? 0;
    const live = await query<LiveRun>(
      `select run_id, status, attempt, ready, not_before > clock_timestamp() + make_interval(secs => $2) as is_later
      from rt.runs where thread_id = $1 and status in ('pending', 'running') order by not_before, run_id for no key update`,
      [threadId, afterSeconds],
    );
    const left = await makeRoom(query, run.multitaskStrategy, threadId, live);
    const isPinned = (thread.waits || left.length > 0) && thread.build_id !== null;
    const buildId = isPinned ? thread.build_id : server.buildId;
    const revisionId = isPinned ? thread.revision_id : server.revisionId;
    const [created] = await query<RunRow>(
      `insert into rt.runs (run_id, thread_id, assistant_id, graph_id, build_id, revision_id, multitask_strategy, kwargs,
        metadata, resumable, ready, not_before)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp() + make_interval(secs => $12))
      returning ${RUN_COLUMNS}, pg_notify('rt_wake', build_id)`,
      [
        v7(),
        threadId,
        run.assistantId,
        run.graphId,
        buildId,
        revisionId,
        run.multitaskStrategy,
        run.kwargs,
        run.metadata,
        run.resumable ?? false,
        await takesTurn(query, left),
        afterSeconds,
      ],
    );
    await query(
      `update rt.threads set status = 'busy', metadata = $2, graph_id = $3, build_id = $4, revision_id = $5,
        updated_at = clock_timestamp() where thread_id = $1`,
      [threadId, mergedOf(thread.metadata, run.threadMetadata ?? '{}'), run.graphId, buildId, revisionId],
    );
    if (created === undefined) throw new Error(`no row came of a run on thread ${threadId}`);
    return created;
  });

type Thread = Pick<ThreadRow, 'thread_id' | 'metadata' | 'waits' | 'build_id' | 'revision_id'>;

async function threadFor(query: Query, run: NewRun): Promise<Thread> {
  const { threadId = v7(), createsThread = false, temporary = false } = run;
  const made =
    run.threadId === undefined || createsThread
      ? await query(
          'insert into rt.threads (thread_id, temporary, metadata) values ($1, $2, $3) on conflict (thread_id) do nothing returning 1',
          [threadId, run.threadId === undefined && temporary, run.newThreadMetadata ?? '{}'],
        )
      : [];
  const [thread] = await query<Thread>(
    'select thread_id, metadata, waits, build_id, revision_id from rt.threads where thread_id = $1 for update',
    [threadId],
  );
  // Another may have made it since the request was looked at.
  const isAllowed = made.length > 0 || thread === undefined || (run.allows?.(thread.metadata) ?? true);
  if (thread === undefined || !isAllowed)
    throw new RefusedError('thread-not-found', `Thread with ID ${threadId} not found`);
  return thread;
}

/** Does to the thread's other runs what the strategy says; gives those that are left. */
async function makeRoom(
  query: Query,
  strategy: MultitaskStrategy,
  threadId: string,
  live: readonly LiveRun[],
): Promise<LiveRun[]> {
  if (strategy === 'enqueue') return [...live];
  if (strategy === 'reject') {
    if (live.length > 0)
      throw new RefusedError(
        'thread-busy',
        `Thread ${threadId} is already running a task. Wait for it to finish or choose a different multitask strategy.`,
      );
    return [];
  }
  const left: LiveRun[] = [];
  for (const run of live) if (!(await endLive(query, run, strategy))) left.push(run);
  return left;
}

/** Whether the new run is the thread's next one. One that is not due yet gives its turn away. */
async function takesTurn(query: Query, left: readonly LiveRun[]): Promise<boolean> {
  const holder = left.find(({ ready }) => ready);
  if (holder === undefined) return !left.some(({ is_later: isLater }) => !isLater);
  if (!holder.is_later || holder.status === 'running' || holder.attempt > 0) return false;
  await query('update rt.runs set ready = false where run_id = $1', [holder.run_id]);
  return true;
}

/**
 * Cancels a run under its lock: ends one that has not begun (true), and asks whoever has begun it to end it.
 * A run that begun and was put back is ended by whoever claims it next: its checkpoints are looked at, or
 * removed, by a worker.
 */
async function endLive(
  query: Query,
  { run_id: runId, attempt }: LiveRun,
  action: CancelAction,
): Promise<boolean> {
  if (attempt > 0) {
    await query(
      `update rt.runs set cancel = case cancel when 'rollback' then cancel else $2 end, updated_at = clock_timestamp() where run_id = $1
      returning pg_notify('rt_cancel', run_id::text), pg_notify('rt_wake', build_id)`,
      [runId, action],
    );
    return false;
  }
  const change =
    action === 'rollback'
      ? 'delete from rt.runs'
      : `update rt.runs set status = 'interrupted', ready = false, updated_at = clock_timestamp(),
          events_until = clock_timestamp()`;
  await query(`${change} where run_id = $1 returning pg_notify('rt_ev', run_id::text)`, [runId]);
  return true;
}

/** Asks for the end of a run; `waitForRun` says when it has come. */
export const cancelRun = async (
  database: Database,
  { threadId, runId }: Pick<RunInThread, 'threadId' | 'runId'>,
  action: CancelAction,
): Promise<void> =>
  database.transaction(async (query) => {
    await lockThread(query, threadId);
    const [run] = await query<LiveRun & { is_live: boolean }>(
      `select run_id, status, attempt, ready, false as is_later, status in ('pending', 'running') as is_live
      from rt.runs where run_id = $1 and thread_id = $2 for no key update`,
      [runId, threadId],
    );
    if (run === undefined) throw notFound(runId);
    if (!run.is_live)
      throw new RefusedError(
        'run-ended',
        `Run ${runId} cannot be cancelled: it has ended as '${run.status}'.`,
      );
    if (await endLive(query, run, action)) await restThread(query, threadId, {});
  });

export type RunInThread = { readonly threadId: string; readonly runId: string };

export const notFound = (runId: string): RefusedError =>
  new RefusedError('run-not-found', `Run with ID ${runId} not found`);

/** Undefined if it is not there, or of another thread. */
export async function findRun(
  database: Database,
  runId: string,
  threadId?: string,
): Promise<RunRow | undefined> {
  const [run] = await database.query<RunRow>(
    `select ${RUN_COLUMNS} from rt.runs where run_id = $1 and ($2::uuid is null or thread_id = $2)`,
    [runId, threadId ?? null],
  );
  return run;
}

export type RunPage = { readonly limit: number; readonly offset: number; readonly status?: string };

/** Of a thread, the newest first. */
export const listRuns = async (
  database: Database,
  threadId: string,
  { limit, offset, status }: RunPage,
): Promise<RunRow[]> =>
  database.query<RunRow>(
    `select ${RUN_COLUMNS} from rt.runs where thread_id = $1 and ($4::text is null or status = $4)
    order by created_at desc, run_id desc limit $2 offset $3`,
    [threadId, limit, offset, status ?? null],
  );

/** Removes a run that has ended. */
export const deleteRun = async (database: Database, { threadId, runId }: RunInThread): Promise<void> =>
  database.transaction(async (query) => {
    const [run] = await query<Pick<RunRow, 'status'>>(
      'select status from rt.runs where run_id = $1 and thread_id = $2 for update',
      [runId, threadId],
    );
    if (run === undefined) throw notFound(runId);
    if (run.status === 'pending' || run.status === 'running')
      throw new RefusedError('run-live', `Run ${runId} is ${run.status}: cancel it before you delete it.`);
    await query('delete from rt.runs where run_id = $1', [runId]);
  });
