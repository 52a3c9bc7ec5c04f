import { isPermanent } from '../tables/database.ts';
import type { Json } from '../tables/rows.ts';
import type { EventLog } from './event-log.ts';
import { EventWriter } from './event-writer.ts';
import { type GraphWorker, type RunEnd, type RunningGraph, type Snapshot, WorkerFailure } from './port.ts';
import type { Lease, Outcome, QueueStore } from './queue-store.ts';
import { type ClaimedRun, LEASE_MARGIN_MILLISECONDS, timeoutError, verdictOf } from './rules.ts';
import { snapshotOf, writerOf } from './snapshot.ts';

/** The clock and timers of a queue; a test has its own. */
export type QueueTime = {
  /** Milliseconds, of a clock that nobody sets. */
  now(): number;
  /** Gives what clears the timer. */
  after(milliseconds: number, run: () => void): () => void;
};

export type ExecutionDeps = {
  readonly store: QueueStore;
  readonly worker: GraphWorker;
  readonly time: QueueTime;
  readonly log: EventLog;
  /** A run may take so long, over all its attempts. */
  readonly timeoutSeconds: number;
  /** A line for operators. */
  readonly say: (text: string) => void;
};

const RETRY_MILLISECONDS = { first: 100, most: 2_000 } as const;
/** Code of users may pass over a cancellation: then the run is over without it, and it can write nothing more. */
const STOP_MILLISECONDS = 30_000;

/** Why a graph was stopped; what is asked first counts. */
type Stop = 'cancel' | 'timeout' | 'lease' | 'handed-back';

/** Nothing of the run may be written any more. */
class FencedError extends Error {}

/** Whether another try would come to the same. */
const isFinal = (error: unknown): boolean =>
  isPermanent(error) || (error instanceof WorkerFailure && !error.isAway);

/** A run that this process has in hand, from its claim to its end or its return. */
export class Execution {
  readonly run: ClaimedRun;
  readonly lease: Lease;
  readonly #deps: ExecutionDeps;
  #leaseEnds: number;
  #graph: RunningGraph | undefined;
  #stop: Stop | undefined;
  #isDraining = false;
  #isFenced = false;
  /** Takes a graph that does not stop for one that has. */
  #abandon: (() => void) | undefined;
  readonly #events: EventWriter;
  readonly #timers: (() => void)[] = [];

  constructor(run: ClaimedRun, leaseEnds: number, deps: ExecutionDeps) {
    this.run = run;
    this.lease = { runId: run.runId, threadId: run.threadId, owner: run.owner, epoch: run.epoch };
    this.#leaseEnds = leaseEnds;
    this.#deps = deps;
    this.#events = new EventWriter(
      deps.log,
      async (events) => {
        if (await deps.store.append(this.lease, events)) return;
        this.noteLost();
        throw new FencedError();
      },
      this.#wait,
    );
  }

  /**
   * Does what the claim asks for. Never rejects. `store-away`: the store failed the run; `left`: it is still
   * this server's by the tables, and comes back when its lease is over.
   */
  async execute(): Promise<'store-away' | 'left' | undefined> {
    const { say } = this.#deps;
    try {
      return await this.#execute();
    } catch (error) {
      // Whoever has the run now writes its end.
      if (error instanceof FencedError) return undefined;
      say(`run ${this.run.runId} was left: ${String(error)}`);
      return 'left';
    } finally {
      for (const clear of this.#timers) clear();
    }
  }

  /** A person or a newer run has asked for its end. */
  cancel(): void {
    this.#halt('cancel');
  }

  /** The server ends: the run is put back at its next step. */
  drain(): void {
    this.#isDraining = true;
    this.#graph?.drain();
  }

  /** The server's time is over: the run is put back as it is, and the step in hand will be done again. */
  async giveUp(): Promise<void> {
    this.#halt('handed-back');
    await this.#persist(() => this.#deps.store.handBack(this.lease, undefined)).catch(() => undefined);
    this.noteLost();
  }

  /** Whether it is another's, and this process only waits for its graph to stop. */
  get isLost(): boolean {
    return this.#isFenced;
  }

  /** The run is another's by now. */
  noteLost(): void {
    this.#isFenced = true;
    void this.#events.close();
    this.#stopGraph();
  }

  noteRenewed(leaseEnds: number): void {
    this.#leaseEnds = Math.max(this.#leaseEnds, leaseEnds);
  }

  /** Stops the graph before its lease ends: another process may take the run then. */
  watchLease(): void {
    if (this.#deps.time.now() >= this.#leaseEnds - LEASE_MARGIN_MILLISECONDS) this.#halt('lease');
  }

  #halt(why: Stop): void {
    this.#stop ??= why;
    this.#stopGraph();
  }

  #stopGraph(): void {
    if (this.#graph === undefined) return;
    this.#graph.cancel();
    this.#timers.push(this.#deps.time.after(STOP_MILLISECONDS, () => this.#abandon?.()));
  }

  async #execute(): Promise<'store-away' | undefined> {
    const { worker, log, time, timeoutSeconds } = this.#deps;
    const verdict = verdictOf(this.run, worker.hello);
    if (verdict.kind === 'cancelled') return this.#endCancelled();
    if (verdict.kind === 'refused') return this.#fail(verdict.error, 'error', verdict.snapshot);
    if (this.#isDraining) return this.#putBack(undefined);
    const graph = worker.stream(this.run, {
      onEvent: (event, data) => {
        log.add(event, data);
        this.#events.soon();
      },
      onStep: () => this.#noteStep(),
    });
    this.#graph = graph;
    const left = Math.max(0, timeoutSeconds - this.run.runningSeconds);
    this.#timers.push(time.after(left * 1_000, () => this.#halt('timeout')));
    const abandoned = new Promise<RunEnd>((resolve) => {
      this.#abandon = () => resolve({ kind: 'cancelled' });
    });
    if (this.#stop !== undefined || this.#isFenced) this.#stopGraph();
    return this.#settle(await Promise.race([graph.ended, abandoned]));
  }

  async #settle(end: RunEnd): Promise<'store-away' | undefined> {
    if (this.#isFenced) return undefined;
    switch (end.kind) {
      case 'fenced':
        return undefined;
      case 'ended': {
        const { values, next, interrupts, state, output = values } = end;
        const snapshot: Snapshot = { values, next, interrupts, ...(state !== undefined && { state }) };
        return this.#finish({ status: 'success', output, snapshot });
      }
      case 'failed':
        return this.#fail(end.error, 'error', 'ask');
      case 'drained':
        return this.#putBack(undefined);
      case 'lost':
        return this.#putBack(end.reason);
      case 'store-away':
        await this.#putBack(undefined);
        return 'store-away';
      case 'cancelled':
        return this.#settleStopped();
    }
  }

  async #settleStopped(): Promise<undefined> {
    switch (this.#stop) {
      case 'cancel':
        return this.#endCancelled();
      case 'timeout':
        return this.#fail(timeoutError(this.#deps.timeoutSeconds), 'timeout', 'ask');
      case 'lease':
      case 'handed-back':
        return this.#putBack(undefined);
      case undefined:
        return this.#putBack('its worker stopped it without being asked');
    }
  }

  /** As interrupted, unless the run is to be rolled back. */
  async #endCancelled(): Promise<undefined> {
    await this.#finish({ status: 'interrupted', ...(await this.#snapshot()) });
  }

  async #fail(error: Json, status: 'error' | 'timeout', snapshot: 'ask' | 'keep'): Promise<undefined> {
    const now = snapshot === 'ask' ? await this.#snapshot() : {};
    this.#deps.log.add('error', error);
    await this.#finish({ status, error, ...now });
  }

  async #finish(outcome: Outcome): Promise<undefined> {
    const { store } = this.#deps;
    await this.#flushAll();
    const finished = await this.#persist(() => this.#tryFinish(outcome));
    if (finished !== 'rollback') return;
    await this.#dropCheckpoints();
    await this.#persist(() => store.remove(this.lease));
  }

  /** What Postgres refuses for good, like a document beyond its bounds, is how the run ends. */
  async #tryFinish(outcome: Outcome): Promise<'finished' | 'fenced' | 'rollback'> {
    try {
      return await this.#deps.store.finish(this.lease, outcome);
    } catch (error) {
      if (!isPermanent(error) || outcome.status === 'error') throw error;
      const message = `Postgres does not take what the run ended with: ${String(error)}`;
      const refused = JSON.stringify({ error: 'StoreError', message });
      return this.#deps.store.finish(this.lease, { status: 'error', error: refused });
    }
  }

  async #dropCheckpoints(): Promise<void> {
    const { threadId, runId } = this.run;
    const args = JSON.stringify({ thread_id: threadId, run_id: runId });
    await this.#persist(() => this.#deps.worker.call('drop', args));
  }

  async #putBack(failure: string | undefined): Promise<undefined> {
    await this.#flushAll();
    await this.#persist(() => this.#deps.store.handBack(this.lease, failure));
  }

  /**
   * How the thread stands now; nothing if its row says so already, since this run has stored no checkpoint.
   * The newest one may then be of another build, of whose nodes this graph knows nothing.
   */
  async #snapshot(): Promise<{ snapshot?: Snapshot }> {
    const { worker, say } = this.#deps;
    const args = JSON.stringify({ graph_id: this.run.graphId, thread_id: this.run.threadId });
    try {
      const snapshot = snapshotOf(await this.#persist(() => worker.call('snapshot', args)));
      return writerOf(snapshot) === this.run.runId ? { snapshot } : {};
    } catch (error) {
      if (error instanceof FencedError) throw error;
      say(`run ${this.run.runId} ends without its thread's state: ${String(error)}`);
      return {};
    }
  }

  #noteStep(): void {
    if (this.run.failures === 0 || this.#hasStepped) return;
    this.#hasStepped = true;
    // Should it be lost, one failure counts too many.
    this.#deps.store.noteStep(this.lease).catch(() => undefined);
  }

  #hasStepped = false;

  async #flushAll(): Promise<void> {
    this.#graph = undefined;
    await this.#events.close();
    while (!this.#deps.log.isStored) await this.#persist(() => this.#events.flush());
  }

  /** Tries until Postgres and the worker answer. Meanwhile the run stays this server's. */
  async #persist<T>(attempt: () => Promise<T>): Promise<T> {
    for (
      let pause: number = RETRY_MILLISECONDS.first;
      ;
      pause = Math.min(2 * pause, RETRY_MILLISECONDS.most)
    ) {
      if (this.#isFenced) throw new FencedError();
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof FencedError || isFinal(error)) throw error;
        await this.#wait(pause);
      }
    }
  }

  readonly #wait = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      this.#deps.time.after(milliseconds, resolve);
    });
}
