import type { Lease, Renewed, Server, StoredEvent } from '../../../lib/agent-runtime/queue/queue-store.ts';
import {
  BEAT_MILLISECONDS,
  type ClaimedRun,
  LEASE_MILLISECONDS,
} from '../../../lib/agent-runtime/queue/rules.ts';
import type { RunStatus } from '../../../lib/agent-runtime/tables/rows.ts';
import { byTurn, type Guard, type ModelRun, type ModelThread } from './model-rows.ts';

/** Runs and their leases in memory, as `lib/agent-runtime/tables/leases.ts` writes them. */
export class LeaseTables {
  readonly runs = new Map<string, ModelRun>();
  readonly threads = new Map<string, ModelThread>();
  readonly events = new Map<string, StoredEvent[]>();
  /** Servers whose sessions hold their lock. */
  readonly locks = new Set<string>();
  readonly servers = new Map<string, { holdsLock: boolean }>();
  postgresStartedAt = Number.NEGATIVE_INFINITY;
  /** Hears of each change of a run. */
  onChange: (run: ModelRun, before: RunStatus | undefined) => void = () => undefined;
  protected readonly now: () => number;
  protected readonly without: ReadonlySet<string>;

  constructor(now: () => number, without: ReadonlySet<string> = new Set()) {
    this.now = now;
    this.without = without;
  }

  /** A condition, unless it is left out. */
  protected keeps(guard: Guard, condition: boolean): boolean {
    return condition || this.without.has(guard);
  }

  liveOf(threadId: string): ModelRun[] {
    const live = [...this.runs.values()].filter(
      (run) => run.threadId === threadId && (run.status === 'pending' || run.status === 'running'),
    );
    return live.sort(byTurn);
  }

  claim(server: Server, count: number): ClaimedRun[] {
    const due = [...this.runs.values()]
      .filter(
        (run) => run.buildId === server.buildId && run.status === 'pending' && run.notBefore <= this.now(),
      )
      .filter((run) => this.keeps('turn: one run of a thread at a time', run.ready))
      .sort(byTurn);
    return due.slice(0, count).map((run) => {
      run.owner = server.owner;
      run.leaseUntil = this.now() + LEASE_MILLISECONDS;
      run.epoch += 1;
      run.attempt += 1;
      run.revisionId = server.revisionId;
      run.startedAt ??= this.now();
      this.move(run, 'running');
      return this.#claimedOf(run, server.owner);
    });
  }

  #claimedOf(run: ModelRun, owner: string): ClaimedRun {
    return {
      runId: run.runId,
      threadId: run.threadId,
      assistantId: 'assistant',
      graphId: 'agent',
      buildId: run.buildId,
      revisionId: run.revisionId,
      attempt: run.attempt,
      owner,
      epoch: run.epoch,
      kwargs: run.kwargs,
      metadata: '{}',
      cancel: run.cancel,
      failures: run.failures,
      lastFailure: run.lastFailure,
      resumable: false,
      threadNext: this.threads.get(run.threadId)?.next ?? [],
      runningSeconds: (this.now() - (run.startedAt ?? this.now())) / 1_000,
    };
  }

  nextDue(buildId: string): number | undefined {
    const due = [...this.runs.values()].filter(
      (run) => run.buildId === buildId && run.ready && run.status === 'pending',
    );
    return due.length === 0 ? undefined : Math.min(...due.map((run) => run.notBefore)) - this.now();
  }

  beat(server: Server, inHand: readonly Lease[]): Renewed[] {
    const isHeld = (run: ModelRun) =>
      inHand.some(({ runId, epoch }) => runId === run.runId && epoch === run.epoch);
    const mine = [...this.runs.values()].filter(
      (run) =>
        run.status === 'running' &&
        run.owner === server.owner &&
        this.keeps('lease: a beat renews what is in hand alone', isHeld(run)),
    );
    for (const run of mine) run.leaseUntil = this.now() + LEASE_MILLISECONDS;
    return mine.map(({ runId, epoch, cancel }) => ({ runId, epoch, cancel }));
  }

  /** Whether a put of a checkpoint may be written. */
  holdsLease(runId: string, owner: string, epoch: number): boolean {
    return this.keeps('fence: who writes a checkpoint holds the run', this.isHeld({ runId, owner, epoch }));
  }

  protected isHeld({ runId, owner, epoch }: Omit<Lease, 'threadId'>): boolean {
    const run = this.runs.get(runId);
    return run?.status === 'running' && run.owner === owner && run.epoch === epoch;
  }

  putBackUnknown(server: Server, known: readonly Lease[]): number {
    // What a beat renews for ever is seen only where nobody puts it back.
    const isLeftOut = this.without.has('lease: a beat renews what is in hand alone');
    if (isLeftOut || this.without.has('count: a claim that was lost is no failure')) return 0;
    const unknown = [...this.runs.values()].filter(
      (run) =>
        run.status === 'running' &&
        run.owner === server.owner &&
        !known.some(({ runId, epoch }) => runId === run.runId && epoch === run.epoch),
    );
    for (const run of unknown) this.#putBack(run);
    return unknown.length;
  }

  takeOver(server: Server): number {
    const gone = [...this.runs.values()].filter((run) => {
      if (run.status !== 'running' || run.owner === null || run.leaseUntil === null) return false;
      const isOver = run.leaseUntil < this.now();
      if (isOver) return !this.without.has('lease: what is over is taken');
      if (this.without.has('lease: it is over before another takes the run'))
        return run.owner !== server.owner;
      return run.owner !== server.owner && this.#isDead(run.owner, run.leaseUntil - this.now());
    });
    for (const run of gone) {
      const wasAway = this.postgresStartedAt > (run.leaseUntil ?? 0) - LEASE_MILLISECONDS;
      const counts = this.keeps('count: an outage of Postgres is no failure', !wasAway);
      if (counts && !this.without.has('count: a death is a failure')) run.failures += 1;
      run.lastFailure = 'its server';
      this.#putBack(run);
    }
    return gone.length;
  }

  /** Whether a server on this machine is gone, of whose lease so much is left. */
  #isDead(owner: string, left: number): boolean {
    const looks = !this.without.has('lock: a server without one is dead');
    const holds = looks && this.locks.has(owner);
    // Whoever does not look at locks must not look so early either.
    const lately = looks ? BEAT_MILLISECONDS * 1.5 : (BEAT_MILLISECONDS * 2) / 3;
    const guard = 'lock: a server that has beaten lately is not dead without one';
    const isMissing = left < LEASE_MILLISECONDS - lately || this.without.has(guard);
    return (this.servers.get(owner)?.holdsLock ?? false) && !holds && isMissing;
  }

  handBack(lease: Lease, failure: string | undefined): boolean {
    const run = this.runs.get(lease.runId);
    if (run === undefined || !this.keeps('lease: who puts a run back holds it', this.isHeld(lease)))
      return false;
    const isFailure = failure !== undefined && !this.without.has('count: a death is a failure');
    if (isFailure || this.without.has('count: a drain is no failure')) {
      run.failures += 1;
      run.lastFailure = failure ?? null;
    }
    this.#putBack(run);
    return true;
  }

  #putBack(run: ModelRun): void {
    run.owner = null;
    run.leaseUntil = null;
    if (this.without.has('cancel: a run that was put back keeps it')) run.cancel = null;
    this.move(run, 'pending');
  }

  noteStep(lease: Lease): void {
    const run = this.runs.get(lease.runId);
    if (run !== undefined && this.isHeld(lease)) run.failures = 0;
  }

  append(lease: Lease, events: readonly StoredEvent[]): boolean {
    if (!this.isHeld(lease)) return false;
    const stored = this.events.get(lease.runId) ?? [];
    const known = new Set(stored.map(({ seq }) => seq));
    stored.push(...events.filter(({ seq }) => !known.has(seq)));
    this.events.set(lease.runId, stored);
    return true;
  }

  protected move(run: ModelRun, status: RunStatus): void {
    const before = run.status;
    run.status = status;
    this.onChange(run, before);
  }
}
