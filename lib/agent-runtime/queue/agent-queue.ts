import { sweepCalls } from '../tables/calls.ts';
import type { Database } from '../tables/database.ts';
import { finishRun, removeRun } from '../tables/ends.ts';
import { appendEvents, sweepEvents, sweepServers, sweepTemporaryThreads } from '../tables/events.ts';
import {
  claimRuns,
  handBackRun,
  nextDue,
  noteStepOfRun,
  putBackUnknown,
  renewLeases,
  takeOverRuns,
} from '../tables/leases.ts';
import { CallDesk } from './calls.ts';
import { EventHub } from './event-log.ts';
import type { GraphWorker } from './port.ts';
import { Queue } from './queue.ts';
import type { QueueStore, Server } from './queue-store.ts';
import { RunTotals } from './run-totals.ts';
import { Session } from './session.ts';

export type AgentQueueOptions = {
  readonly database: Database;
  readonly server: Server;
  readonly worker: GraphWorker;
  /** N_JOBS_PER_WORKER. */
  readonly slots: number;
  /** BG_JOB_TIMEOUT_SECS. */
  readonly timeoutSeconds: number;
  readonly say: (text: string) => void;
};

/** The queue of one server, with what follows runs and answers calls. */
export type AgentQueue = {
  readonly hub: EventHub;
  /** Runs and calls that this process has in hand. */
  readonly inHand: { readonly runs: number; readonly calls: number };
  readonly totals: RunTotals;
  /** Why the server is not ready; undefined if it is. */
  readonly problem: string | undefined;
  /** Takes no more, puts back the runs in hand at their next step, after the grace as they are, and ends. */
  drain(graceMilliseconds: number): Promise<void>;
};

const SWEEP_MILLISECONDS = 20_000;
/** New calls are notified. This finds those of dead servers, whose leases last a minute. */
const CALLS_MILLISECONDS = 10_000;

/** The tables as the queue sees them. */
export const storeOf = (database: Database): QueueStore => ({
  claim: (server, count) => claimRuns(database.query, server, count),
  nextDue: (buildId) => nextDue(database.query, buildId),
  beat: (server, inHand) => renewLeases(database.query, server, inHand),
  putBackUnknown: (server, known) => putBackUnknown(database.query, server, known),
  takeOver: (server) => takeOverRuns(database.query, server),
  handBack: (lease, failure) => handBackRun(database.query, lease, failure),
  finish: (lease, outcome) => finishRun(database, lease, outcome),
  remove: (lease) => removeRun(database, lease),
  noteStep: (lease) => noteStepOfRun(database.query, lease),
  append: (lease, events) => appendEvents(database.query, lease, events),
});

/** Starts to take runs, once the tables are there. */
export function openQueue(options: AgentQueueOptions): AgentQueue {
  const { database, server, worker, slots, timeoutSeconds, say } = options;
  const hub = new EventHub();
  const time = { now: () => performance.now(), after };
  const totals = new RunTotals(time.now);
  const queue = new Queue({
    server,
    store: totals.counting(storeOf(database)),
    worker,
    hub,
    time,
    slots,
    timeoutSeconds,
    say,
  });
  const desk = new CallDesk({ database, hub, server, worker });
  const wake = (): void => {
    queue.wake();
    desk.look().catch(() => undefined);
  };
  const session = new Session(database, server, {
    onWake: (buildId) => {
      if (buildId === server.buildId) wake();
    },
    onChange: (id) => hub.touch(id),
    onCancel: (runId) => queue.cancel(runId),
    onConnected: () => {
      hub.touchAll();
      wake();
    },
  });
  queue.start();
  void session.run();
  const timers = [
    setInterval(
      () =>
        void desk
          .takeOver()
          .then(() => desk.look())
          // Postgres is away: the next time comes.
          .catch(() => undefined),
      CALLS_MILLISECONDS,
    ),
    setInterval(() => void sweep(database).catch((error: unknown) => say(String(error))), SWEEP_MILLISECONDS),
  ];
  return {
    hub,
    totals,
    get inHand() {
      return { runs: queue.running, calls: desk.answering };
    },
    get problem() {
      return session.problem;
    },
    drain: async (graceMilliseconds) => {
      for (const timer of timers) clearInterval(timer);
      desk.stop();
      await queue.drain(graceMilliseconds);
      await session.close();
    },
  };
}

function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

/**
 * Removes what is kept for a time only: events, threads of runs without one, answers, servers that are gone.
 */
export async function sweep(database: Database): Promise<void> {
  await sweepEvents(database.query);
  await sweepTemporaryThreads(database.query);
  await sweepCalls(database.query);
  await sweepServers(database);
}
