import type { EventHub } from './event-log.ts';
import { Execution, type QueueTime } from './execution.ts';
import type { GraphWorker } from './port.ts';
import type { Lease, QueueStore, Server } from './queue-store.ts';
import { BEAT_MILLISECONDS, type ClaimedRun, LEASE_MILLISECONDS } from './rules.ts';

export type QueueOptions = {
  readonly server: Server;
  readonly store: QueueStore;
  readonly worker: GraphWorker;
  readonly hub: EventHub;
  readonly time: QueueTime;
  /** So many runs at once. */
  readonly slots: number;
  readonly timeoutSeconds: number;
  /** A line for operators. */
  readonly say: (text: string) => void;
};

/** Notifications wake the queue; should one be lost, it looks for itself. */
const POLL_MILLISECONDS = 2_000;
/** What is due and was not claimed is locked by somebody. */
const SOONEST_MILLISECONDS = 50;
const WATCH_MILLISECONDS = 1_000;
/** Until the next claim or beat after Postgres has failed one, or a run's store. */
const AWAY_MILLISECONDS = 500;

/** Takes runs of its build as their turn comes, keeps their leases, and brings each to its end or back. */
export class Queue {
  readonly #options: QueueOptions;
  readonly #inHand = new Map<string, Execution>();
  /** Runs that were left, whose leases are not over yet. */
  readonly #left = new Set<Lease>();
  /** A claim's answer was lost: what it has claimed is in nobody's hand. */
  #isUnsure = false;
  #isDraining = false;
  #isStopped = false;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #clearPoll: (() => void) | undefined;
  #clearTicks: (() => void)[] = [];
  #onEmpty: (() => void) | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  start(): void {
    this.#every(BEAT_MILLISECONDS, () => this.#beat());
    this.#every(WATCH_MILLISECONDS, async () => {
      for (const execution of this.#inHand.values()) execution.watchLease();
    });
    this.wake();
  }

  /** How many runs this process has in hand. */
  get running(): number {
    return this.#inHand.size;
  }

  /** Something of the build may be due. */
  wake(): void {
    if (this.#isDraining) return;
    if (this.#claiming !== undefined) {
      this.#isWoken = true;
      return;
    }
    this.#clearPoll?.();
    this.#claiming = this.#claim().then((pause) => {
      this.#claiming = undefined;
      if (this.#isWoken) {
        this.#isWoken = false;
        this.wake();
      } else if (!this.#isDraining) this.#clearPoll = this.#options.time.after(pause, () => this.wake());
    });
  }

  /** A run shall end. It may be another server's. */
  cancel(runId: string): void {
    this.#inHand.get(runId)?.cancel();
  }

  /**
   * Takes no more runs, and puts back those in hand at their next step; after the grace as they are. Resolves
   * when none is in hand any more.
   */
  async drain(graceMilliseconds: number): Promise<void> {
    this.#isDraining = true;
    this.#clearPoll?.();
    for (const execution of this.#inHand.values()) execution.drain();
    await this.#claiming;
    const clear = this.#options.time.after(graceMilliseconds, () => {
      for (const execution of this.#inHand.values()) void execution.giveUp();
    });
    await Promise.all([this.#untilEmpty(), this.#untilSure(this.#options.time.now() + graceMilliseconds)]);
    clear();
    this.stop();
  }

  /** Lets go of everything at once, as at the end of the process. */
  stop(): void {
    this.#isDraining = true;
    this.#isStopped = true;
    this.#clearPoll?.();
    for (const clear of this.#clearTicks) clear();
    this.#clearTicks = [];
  }

  async #untilEmpty(): Promise<void> {
    while (this.#inHand.size > 0)
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
  }

  /** Claims until nothing is due or no slot is free; gives when to look again, in milliseconds. */
  async #claim(): Promise<number> {
    const { server, store, slots, time, say } = this.#options;
    try {
      for (;;) {
        const free = slots - this.#inHand.size;
        if (free <= 0 || this.#isDraining) return POLL_MILLISECONDS;
        await this.#putBackUnknown();
        const leaseEnds = time.now() + LEASE_MILLISECONDS;
        this.#isUnsure = true;
        const claimed = await store.claim(server, free);
        this.#isUnsure = false;
        if (this.#isStopped) return POLL_MILLISECONDS;
        for (const run of claimed) void this.#execute(run, leaseEnds);
        if (claimed.length < free) break;
      }
      const due = await store.nextDue(server.buildId);
      return Math.min(POLL_MILLISECONDS, Math.max(SOONEST_MILLISECONDS, due ?? POLL_MILLISECONDS));
    } catch (error) {
      say(`no run was claimed: ${String(error)}`);
      return AWAY_MILLISECONDS;
    }
  }

  /** What nobody has in hand would come back only when its lease is over, as a failure. */
  async #putBackUnknown(): Promise<void> {
    if (!this.#isUnsure) return;
    const { server, store } = this.#options;
    const inHand = Array.from(this.#inHand.values(), ({ lease }) => lease);
    await store.putBackUnknown(server, [...inHand, ...this.#left]);
    this.#isUnsure = false;
  }

  async #untilSure(until: number): Promise<void> {
    const { time, say } = this.#options;
    while (this.#isUnsure && time.now() < until)
      try {
        await this.#putBackUnknown();
      } catch (error) {
        say(`a run whose claim was lost is not put back yet: ${String(error)}`);
        await new Promise<void>((resolve) => {
          time.after(AWAY_MILLISECONDS, resolve);
        });
      }
  }

  #noteLeft(lease: Lease): void {
    this.#left.add(lease);
    this.#options.time.after(2 * LEASE_MILLISECONDS, () => this.#left.delete(lease));
  }

  async #execute(run: ClaimedRun, leaseEnds: number): Promise<void> {
    const { hub, time } = this.#options;
    const log = hub.open(run.runId, run.epoch);
    const execution = new Execution(run, leaseEnds, { ...this.#options, log });
    this.#inHand.get(run.runId)?.noteLost();
    this.#inHand.set(run.runId, execution);
    if (this.#isDraining) execution.drain();
    const end = await execution.execute();
    if (this.#inHand.get(run.runId) === execution) this.#inHand.delete(run.runId);
    hub.close(run.runId, log);
    if (end === 'left') this.#noteLeft(execution.lease);
    if (this.#inHand.size === 0) this.#onEmpty?.();
    if (end === 'store-away') time.after(AWAY_MILLISECONDS, () => this.wake());
    else this.wake();
  }

  /** Renews the leases, stops what is another's or shall end, and puts back what dead servers had. */
  async #beat(): Promise<void> {
    const { server, store, time } = this.#options;
    const held = [...this.#inHand.values()].filter(({ isLost }) => !isLost);
    const leaseEnds = time.now() + LEASE_MILLISECONDS;
    const leases = held.map(({ lease }) => lease);
    const renewed = new Map((await store.beat(server, leases)).map((run) => [run.runId, run]));
    for (const execution of held) {
      const run = renewed.get(execution.lease.runId);
      if (this.#inHand.get(execution.lease.runId) !== execution) continue;
      if (run?.epoch !== execution.lease.epoch) execution.noteLost();
      else {
        execution.noteRenewed(leaseEnds);
        if (run.cancel !== null) execution.cancel();
      }
    }
    await store.takeOver(server);
  }

  /**
   * Runs something again and again, each time so long after the last has ended. A failure is said, and soon
   * tried again: leases go on running out while Postgres is away.
   */
  #every(milliseconds: number, run: () => Promise<void>): void {
    const { time, say } = this.#options;
    let clear: () => void = () => undefined;
    const turn = async (): Promise<void> => {
      let pause = milliseconds;
      try {
        await run();
      } catch (error) {
        say(`Postgres does not answer: ${String(error)}`);
        pause = Math.min(milliseconds, AWAY_MILLISECONDS);
      }
      if (!this.#isStopped) clear = time.after(pause, () => void turn());
    };
    this.#clearTicks.push(() => clear());
    clear = time.after(milliseconds, () => void turn());
  }
}
