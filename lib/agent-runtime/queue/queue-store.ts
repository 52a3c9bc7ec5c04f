import type { CancelAction, Json, RunStatus } from '../tables/rows.ts';
import type { Snapshot } from './port.ts';
import type { ClaimedRun } from './rules.ts';

/** A server, for as long as its process lives. */
export type Server = { readonly owner: string; readonly buildId: string; readonly revisionId: string };

/** What a write names so that it fails once the run is another's. */
export type Lease = {
  readonly runId: string;
  readonly threadId: string;
  readonly owner: string;
  readonly epoch: number;
};

/** How a run ends for good. */
export type Outcome = {
  readonly status: Exclude<RunStatus, 'pending' | 'running'>;
  readonly output?: Json;
  readonly error?: Json;
  /** Of the thread after it; absent when the worker could not tell. */
  readonly snapshot?: Snapshot;
};

/** What became of a write of an end; `rollback`: it was refused since the run is to be rolled back. */
export type Finished = 'finished' | 'fenced' | 'rollback';

/** A run that a beat has renewed. */
export type Renewed = {
  readonly runId: string;
  readonly epoch: number;
  readonly cancel: CancelAction | null;
};

export type StoredEvent = { readonly seq: number; readonly event: string; readonly data: Json };

/** What the queue asks of the tables. Each is one transaction. */
export type QueueStore = {
  /** Takes up to `count` runs of the server's build whose turn has come. */
  claim(server: Server, count: number): Promise<ClaimedRun[]>;
  /** Milliseconds until the next run of the build is due; undefined if none waits for its time. */
  nextDue(buildId: string): Promise<number | undefined>;
  /** Renews the leases of the runs that the server has in hand, and gives those that are still its own. */
  beat(server: Server, inHand: readonly Lease[]): Promise<Renewed[]>;
  /**
   * Puts back, uncounted, what is the server's by the tables and not by itself: the answer of a claim was
   * lost, so that its graph has never begun. Gives how many.
   */
  putBackUnknown(server: Server, known: readonly Lease[]): Promise<number>;
  /** Puts back the runs of servers that are gone; gives how many. */
  takeOver(server: Server): Promise<number>;
  /** Puts a run back, as a failure of its process if there is one; false: it is another's. */
  handBack(lease: Lease, failure: string | undefined): Promise<boolean>;
  /** Ends a run, and gives the thread's next one its turn. */
  finish(lease: Lease, outcome: Outcome): Promise<Finished>;
  /**
   * Removes a run whose checkpoints are gone, and gives the thread's next one its turn. The thread is as
   * before the run, which is how its row describes it.
   */
  remove(lease: Lease): Promise<boolean>;
  /** The run has got on: what ended its process before is not what it does every time. */
  noteStep(lease: Lease): Promise<void>;
  /** Stores events; false: the run is another's. */
  append(lease: Lease, events: readonly StoredEvent[]): Promise<boolean>;
};
