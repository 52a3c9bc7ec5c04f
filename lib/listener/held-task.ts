import type { ListenerTask } from '../features/listener-protocol/shape.ts';
import type { Lost } from './control-plane.ts';

/** What a task waits for is told at once, but not each time that the words change. */
const WAIT_MILLISECONDS = 5_000;

/** Why the work on a task ends before its own end. */
export type EndReason = 'stop' | 'lost' | 'gone' | 'shutdown';

/** What the signal of a task that ends early carries. */
export class TaskEnded extends Error {
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super(`The work on the task ends: ${reason}`);
    this.reason = reason;
  }
}

/**
 * A task this listener works on. Its lease changes with each claim that returns it, which one does that the
 * task is not named in.
 */
export class HeldTask {
  readonly task: ListenerTask;
  leaseId: string;
  endReason: EndReason | undefined;
  /** Traffic may have moved: what the task started is no longer its own to stop. */
  switched = false;
  /** What its revision waits for, and what of that was last told; empty: nothing. */
  waitsFor = '';
  #waitTold = '';
  /** As `performance.now()` has it. */
  #waitTriedAt = Number.NEGATIVE_INFINITY;
  /** The lease may have been renewed without our knowing it: the next claim asks for it. */
  inDoubt = false;
  readonly #ended = new AbortController();
  readonly #claimAgain: () => Promise<void>;

  constructor(task: ListenerTask, claimAgain: () => Promise<void>) {
    this.task = task;
    this.leaseId = task.lease_id;
    this.#claimAgain = claimAgain;
  }

  /** Fires when the work must stop. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** What it waits for has changed. True: that is to be told now, not with the next heartbeat. */
  wait(reason: string): boolean {
    this.waitsFor = reason;
    const isSoon = performance.now() - this.#waitTriedAt < WAIT_MILLISECONDS;
    if (reason === this.#waitTold || isSoon || this.signal.aborted) return false;
    this.#waitTriedAt = performance.now();
    return true;
  }

  /** What a heartbeat tells of that. */
  news(): { status_message?: string } {
    return this.waitsFor === this.#waitTold ? {} : { status_message: this.waitsFor };
  }

  told({ status_message: waitsFor = this.#waitTold }: { status_message?: string }): void {
    this.#waitTold = waitsFor;
  }

  end(reason: EndReason): void {
    this.endReason ??= reason;
    this.#ended.abort(new TaskEnded(reason));
  }

  /**
   * Sends something under the current lease. It may have been renewed by a claim whose answer never came: a
   * conflict counts only when the lease is still the same after another claim, which would give the task
   * back.
   */
  async underLease<T>(send: (leaseId: string) => Promise<T | Lost>): Promise<T | Lost> {
    for (;;) {
      const leaseId = this.leaseId;
      const answer = await send(leaseId);
      if (answer !== 'conflict') return answer;
      if (this.leaseId === leaseId) await this.#findLease();
      if (this.leaseId === leaseId) return 'conflict';
    }
  }

  async #findLease(): Promise<void> {
    this.inDoubt = true;
    await this.#claimAgain();
    this.inDoubt = false;
  }
}
