import type { Database } from '../tables/database.ts';
import { readEvents, statusOf } from '../tables/events.ts';
import type { RunEvent, RunRow } from '../tables/rows.ts';
import { findRun, notFound } from '../tables/runs.ts';
import type { EventHub, EventLog } from './event-log.ts';

/** A notification may be lost with its connection: followers look so often by themselves. */
const LOOK_MILLISECONDS = 2_000;

/**
 * The events of a run behind `after`, as they come, until the run has ended: from memory while this process
 * has it in hand, else from the table. Ends early by the signal.
 */
export async function* followEvents(
  { database, hub }: { database: Database; hub: EventHub },
  runId: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent, void, void> {
  const watch = hub.watch(runId);
  const wake = (): void => hub.touch(runId);
  signal?.addEventListener('abort', wake);
  let seq = after;
  try {
    while (signal?.aborted !== true) {
      const { events, floor, isOver } = await eventsBehind(database, hub.logOf(runId), runId, seq);
      for (const event of events) {
        seq = event.seq;
        yield event;
      }
      if (events.length > 0) continue;
      if (isOver) return;
      // Nothing is stored behind it that is not in memory.
      if (floor > seq) seq = floor;
      else await watch.next(LOOK_MILLISECONDS);
    }
  } finally {
    signal?.removeEventListener('abort', wake);
    watch.end();
  }
}

type Behind = { readonly events: readonly RunEvent[]; readonly floor: number; readonly isOver: boolean };

async function eventsBehind(
  database: Database,
  log: EventLog | undefined,
  runId: string,
  seq: number,
): Promise<Behind> {
  const floor = log?.floor ?? 0;
  if (log !== undefined && seq >= floor) return { events: log.after(seq), floor, isOver: false };
  // The status first: what is stored until a run has ended is stored before that.
  const status = log === undefined ? await statusOf(database.query, runId) : 'running';
  const events = await readEvents(database.query, runId, seq);
  return { events, floor, isOver: status !== 'pending' && status !== 'running' };
}

/** Waits until a run has ended. Undefined: it was rolled back, or the signal has come first. */
export async function waitForRun(
  { database, hub }: { database: Database; hub: EventHub },
  runId: string,
  signal?: AbortSignal,
): Promise<RunRow | undefined> {
  const watch = hub.watch(runId);
  const wake = (): void => hub.touch(runId);
  signal?.addEventListener('abort', wake);
  try {
    if ((await statusOf(database.query, runId)) === undefined) throw notFound(runId);
    while (signal?.aborted !== true) {
      // Each event of it is a change, and none of them its end.
      const isInHand = hub.logOf(runId)?.isClosed === false;
      const status = isInHand ? 'running' : await statusOf(database.query, runId);
      if (status !== 'pending' && status !== 'running') return await findRun(database, runId);
      await watch.next(LOOK_MILLISECONDS);
    }
    return undefined;
  } finally {
    signal?.removeEventListener('abort', wake);
    watch.end();
  }
}
