import type { ListenerTask } from '../contract/listener-protocol.ts';
import type { Lost } from './control-plane.ts';

/** Why the work on a task ends before its own end. */
export type EndReason = 'stop' | 'lost' | 'gone' | 'shutdown';

/** A task this listener works on. Its lease changes with each claim that returns it. */
export class HeldTask {
  readonly task: ListenerTask;
  leaseId: string;
  endReason: EndReason | undefined;
  /** Traffic may have moved: what the task started is no longer its own to stop. */
  switched = false;
  readonly #ended = new AbortController();
  readonly #claimSettled: () => Promise<void>;

  constructor(task: ListenerTask, claimSettled: () => Promise<void>) {
    this.task = task;
    this.leaseId = task.lease_id;
    this.#claimSettled = claimSettled;
  }

  /** Fires when the work must stop. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  end(reason: EndReason): void {
    this.endReason ??= reason;
    this.#ended.abort();
  }

  /**
   * Sends something under the current lease. A claim that is under way may have renewed the lease without our knowing it yet:
   * a conflict counts only when the lease is still the same after that claim has come back.
   */
  async underLease<T>(send: (leaseId: string) => Promise<T | Lost>): Promise<T | Lost> {
    for (;;) {
      const leaseId = this.leaseId;
      const answer = await send(leaseId);
      if (answer !== 'conflict') return answer;
      await this.#claimSettled();
      if (this.leaseId === leaseId) return 'conflict';
    }
  }
}
