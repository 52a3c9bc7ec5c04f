import type { Snapshot } from '../../../lib/agent-runtime/queue/port.ts';
import type { Finished, Lease, Outcome, Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import type { CancelAction } from '../../../lib/agent-runtime/tables/rows.ts';
import { LeaseTables } from './lease-tables.ts';
import {
  type ModelNewRun,
  type ModelRun,
  newRun,
  newThread,
  restingStatus,
  takesTurn,
} from './model-rows.ts';

/**
 * The tables of the queue in memory, as `lib/agent-runtime/tables` writes them: each method is one
 * transaction. A test holds it against PostgreSQL.
 */
export class ModelTables extends LeaseTables {
  finish(lease: Lease, { status, output, error, snapshot }: Outcome): Finished {
    const run = this.runs.get(lease.runId);
    if (run === undefined || !this.keeps('lease: who ends a run holds it', this.isHeld(lease)))
      return 'fenced';
    const rollback = 'rollback: a run that is to be rolled back does not end otherwise';
    if (!this.keeps(rollback, run.cancel !== 'rollback')) return 'rollback';
    run.output = output ?? null;
    run.error = error ?? null;
    run.ready = false;
    run.cancel = null;
    run.owner = null;
    run.leaseUntil = null;
    this.move(run, status);
    const waits = status === 'success' && (snapshot?.next.length ?? 0) > 0;
    this.#rest(run.threadId, { snapshot, error: error ?? null, waits });
    return 'finished';
  }

  remove(lease: Lease): boolean {
    if (!this.isHeld(lease)) return false;
    this.#delete(lease.runId);
    this.#rest(lease.threadId, {});
    return true;
  }

  #delete(runId: string): void {
    this.runs.delete(runId);
    this.events.delete(runId);
  }

  #rest(
    threadId: string,
    { snapshot, error, waits }: { snapshot?: Snapshot | undefined; error?: string | null; waits?: boolean },
  ): void {
    const thread = this.threads.get(threadId);
    if (thread === undefined) return;
    const more = this.#giveTurn(threadId);
    if (error !== undefined) thread.error = error;
    if (snapshot !== undefined && !this.without.has('state: an end writes what comes next')) {
      thread.next = snapshot.next;
      thread.values = snapshot.values;
    }
    thread.waits = waits ?? thread.waits;
    if (!more && !thread.waits) {
      thread.buildId = null;
      thread.revisionId = null;
    }
    thread.status = more ? 'busy' : restingStatus(thread);
  }

  #giveTurn(threadId: string): boolean {
    const live = this.liveOf(threadId);
    const [first] = live;
    if (first === undefined) return false;
    if (!live.some(({ ready }) => ready))
      first.ready = !this.without.has('turn: what ends gives its turn to the next one');
    return true;
  }

  /** Undefined: it was rejected. */
  createRun(server: Server, given: ModelNewRun): ModelRun | undefined {
    const thread = this.threads.get(given.threadId) ?? newThread(given.threadId);
    const notBefore = this.now() + given.afterMilliseconds;
    const live = this.liveOf(given.threadId);
    if (given.multitaskStrategy === 'reject' && live.length > 0) return undefined;
    this.threads.set(given.threadId, thread);
    const action = given.multitaskStrategy;
    const left = live.filter(
      (run) => (action !== 'interrupt' && action !== 'rollback') || !this.#endLive(run, action),
    );
    const isPinned =
      (thread.waits && !this.without.has('pin: a thread that waits keeps its build')) ||
      (left.length > 0 && !this.without.has('pin: a thread with runs keeps its build'));
    const of = isPinned && thread.buildId !== null ? thread : server;
    const run: ModelRun = {
      ...newRun(given),
      buildId: of.buildId ?? server.buildId,
      revisionId: of.revisionId ?? server.revisionId,
      ready: takesTurn(left, notBefore),
      notBefore,
    };
    this.runs.set(run.runId, run);
    thread.status = 'busy';
    thread.buildId = run.buildId;
    thread.revisionId = run.revisionId;
    this.onChange(run, undefined);
    return run;
  }

  /** False: it has ended, or is not there. */
  cancelRun(runId: string, action: CancelAction): boolean {
    const run = this.runs.get(runId);
    if (run?.status !== 'pending' && run?.status !== 'running') return false;
    if (this.#endLive(run, action)) this.#rest(run.threadId, {});
    return true;
  }

  #endLive(run: ModelRun, action: CancelAction): boolean {
    if (run.attempt > 0) {
      if (run.cancel !== 'rollback') run.cancel = action;
      return false;
    }
    run.ready = false;
    if (action === 'rollback') this.#delete(run.runId);
    else this.move(run, 'interrupted');
    return true;
  }

  releaseThreads({ buildId, revisionId }: Server, builds?: readonly string[]): number {
    let count = 0;
    for (const thread of this.threads.values()) {
      const live = this.liveOf(thread.threadId);
      const isOf =
        thread.buildId !== null && thread.buildId !== buildId && (builds?.includes(thread.buildId) ?? true);
      const hasBegun = live.some(({ attempt }) => attempt > 0);
      if (!isOf || !(thread.waits || live.length > 0)) continue;
      if (!this.keeps('release: a run that has begun ends where it is', !hasBegun)) continue;
      for (const run of live.filter(({ status }) => status === 'pending')) {
        run.buildId = buildId;
        run.revisionId = revisionId;
      }
      thread.waits = false;
      thread.buildId = live.length > 0 ? buildId : null;
      thread.revisionId = live.length > 0 ? revisionId : null;
      count += 1;
    }
    return count;
  }

  noteState(threadId: string, snapshot: Snapshot): void {
    this.#rest(threadId, { snapshot, ...(snapshot.next.length === 0 && { waits: false }) });
  }
}
