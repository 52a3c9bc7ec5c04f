import type { RunInHand, Snapshot } from '../../../lib/agent-runtime/queue/port.ts';
import type { Finished, Lease, Outcome, Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import type { CancelAction, RunStatus } from '../../../lib/agent-runtime/tables/rows.ts';
import { type Build, type Checkpoint, type Checkpoints, forkedFrom } from './builds.ts';
import { ModelTables } from './model.ts';
import type { ModelNewRun, ModelRun } from './model-rows.ts';

/** What has befallen runs while a process had them in hand. */
class Hits {
  readonly #counts = new Map<string, number>();

  add(runIds: Iterable<string>, count = 1): void {
    for (const runId of runIds) this.#counts.set(runId, this.of(runId) + count);
  }

  of(runId: string): number {
    return this.#counts.get(runId) ?? 0;
  }
}

/** The tables, with the promises checked at each commit. What the guards know is not asked here. */
export class CheckedTables extends ModelTables {
  /** After each a step may be done again. */
  readonly hits = new Hits();
  /** Each may count as a failure of the run's process. */
  readonly deaths = new Hits();
  readonly endings: Record<string, number> = {};
  /** Hears what is written, for whoever reads a trace. */
  say: (text: () => string) => void = () => undefined;
  readonly #clock: () => number;
  readonly #checkpoints: Checkpoints;
  readonly #builds: ReadonlyMap<string, Build>;
  readonly #violate: (what: string) => void;
  /** How often a run has begun each step since its last input. */
  readonly #begun = new Map<string, Map<number, number>>();
  readonly #rollbacks = new Set<string>();
  readonly #removed = new Set<string>();
  /** The build that each run was bound to when it came. */
  readonly #boundTo = new Map<string, string | undefined>();
  /** The build whose interrupt a thread waits at. */
  readonly #waitsFor = new Map<string, string>();

  constructor(
    checkpoints: Checkpoints,
    builds: ReadonlyMap<string, Build>,
    clock: () => number,
    without: ReadonlySet<string>,
    violate: (what: string) => void,
  ) {
    super(clock, without);
    this.#clock = clock;
    this.#checkpoints = checkpoints;
    this.#builds = builds;
    this.#violate = violate;
    this.onChange = (run, before) => this.#changed(run, before);
  }

  /** What is not over though nothing goes wrong any more. */
  get unfinished(): string[] {
    const live = [...this.runs.values()].filter(({ status }) => status === 'pending' || status === 'running');
    return live.map(({ runId, status }) => `${runId} is ${status}`);
  }

  /** Everything has ended. */
  atRest(): void {
    for (const runId of this.#removed)
      if (this.#checkpoints.ofRun(runId)) this.#violate(`${runId} was rolled back, and has checkpoints`);
    for (const thread of this.threads.values()) {
      if (thread.status === 'busy') this.#violate(`${thread.threadId} is busy without a run`);
      this.#checkNext(thread.threadId);
    }
  }

  /** A graph begins a step: it has an effect, whatever comes of it. */
  onStep(run: RunInHand, at: number): void {
    const { next, entries } = this.#baseOf(run);
    const row = this.runs.get(run.runId);
    const isHolder = row?.status === 'running' && row.owner === run.owner && row.epoch === run.epoch;
    const name = this.#builds.get(run.buildId)?.nodes[at];
    if (isHolder && next[0] !== name)
      this.#violate(`${run.runId} begins ${name}, and ${next[0] ?? 'the end'} comes next`);
    const counts = this.#begun.get(run.runId) ?? new Map<number, number>();
    this.#begun.set(run.runId, counts.set(entries.length, (counts.get(entries.length) ?? 0) + 1));
    const repeats = [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
    const hits = this.hits.of(run.runId);
    if (repeats > hits) this.#violate(`${run.runId} does ${repeats} steps again after ${hits} incidents`);
  }

  /** Where a run goes on: at its own newest checkpoint, or at that from which it was forked. */
  #baseOf({ runId, threadId, kwargs }: RunInHand): Checkpoint {
    const head = this.#checkpoints.head(threadId);
    const fork = head.runId === runId ? undefined : forkedFrom(kwargs);
    return (fork === undefined ? undefined : this.#checkpoints.at(threadId, fork)) ?? head;
  }

  override createRun(server: Server, given: ModelNewRun): ModelRun | undefined {
    const before = this.liveOf(given.threadId);
    const waitsFor = this.#waitsFor.get(given.threadId);
    const run = super.createRun(server, given);
    if (run === undefined) return undefined;
    this.say(() => `${run.runId} is created for ${run.buildId}: ${given.multitaskStrategy} ${given.kwargs}`);
    const [other] = this.liveOf(given.threadId).filter(({ runId }) => runId !== run.runId);
    this.#boundTo.set(run.runId, waitsFor ?? other?.buildId);
    if (given.multitaskStrategy === 'rollback') this.#noteRollbacks(before);
    if (waitsFor !== undefined && run.buildId !== waitsFor)
      this.#violate(`${run.runId} is of ${run.buildId}, and its thread waits for ${waitsFor}`);
    return run;
  }

  override cancelRun(runId: string, action: CancelAction): boolean {
    const run = this.runs.get(runId);
    const isAsked = super.cancelRun(runId, action);
    if (isAsked && action === 'rollback' && run !== undefined) this.#noteRollbacks([run]);
    return isAsked;
  }

  #noteRollbacks(runs: readonly ModelRun[]): void {
    for (const { runId } of runs) this.#rollbacks.add(runId);
  }

  override finish(lease: Lease, outcome: Outcome): Finished {
    const buildId = this.runs.get(lease.runId)?.buildId ?? '';
    const finished = super.finish(lease, outcome);
    this.say(() => `${lease.runId} ends: ${finished} ${JSON.stringify(outcome)}`);
    if (finished !== 'finished') return finished;
    this.endings[outcome.status] = (this.endings[outcome.status] ?? 0) + 1;
    if (this.#rollbacks.has(lease.runId))
      this.#violate(`${lease.runId} is to be rolled back, and ends as ${outcome.status}`);
    if (outcome.status === 'success') this.#checkSuccess(lease, outcome.snapshot, this.#builds.get(buildId));
    const isRefused = outcome.error?.includes('NodeNotFound') === true;
    const { buildId: wrote } = this.#checkpoints.head(lease.threadId);
    if (isRefused && wrote !== buildId && this.#boundTo.get(lease.runId) === wrote)
      this.#violate(`${lease.runId} came for ${wrote}, and is refused by ${buildId}: ${outcome.error}`);
    this.#checkNext(lease.threadId);
    const waits = outcome.status === 'success' && (outcome.snapshot?.next.length ?? 0) > 0;
    if (waits) this.#waitsFor.set(lease.threadId, buildId);
    else this.#waitsFor.delete(lease.threadId);
    return finished;
  }

  /** What was let go is bound to nothing any more. */
  override releaseThreads(server: Server, builds?: readonly string[]): number {
    const before = new Map([...this.runs.values()].map(({ runId, buildId }) => [runId, buildId]));
    const waited = new Set([...this.threads.values()].filter(({ waits }) => waits));
    const count = super.releaseThreads(server, builds);
    for (const { runId, buildId } of this.runs.values())
      if (before.get(runId) !== buildId) this.#boundTo.delete(runId);
    for (const { threadId, waits } of waited) if (!waits) this.#waitsFor.delete(threadId);
    this.say(() => `${count} threads go to ${server.buildId}`);
    return count;
  }

  override takeOver(server: Server): number {
    const owned = [...this.runs.values()].filter(({ status }) => status === 'running');
    const before = owned.map((run) => ({
      run,
      owner: run.owner,
      left: (run.leaseUntil ?? 0) - this.#clock(),
    }));
    const count = super.takeOver(server);
    for (const { run, owner, left } of before)
      if (run.status === 'pending')
        this.say(
          () => `${run.runId} is taken from ${owner} by ${server.owner}, ${left} ms before its lease ends`,
        );
    return count;
  }

  override handBack(lease: Lease, failure: string | undefined): boolean {
    const isBack = super.handBack(lease, failure);
    this.say(() => `${lease.runId} is put back: ${isBack} ${failure ?? ''}`);
    return isBack;
  }

  override remove(lease: Lease): boolean {
    const removed = super.remove(lease);
    if (removed) {
      this.#removed.add(lease.runId);
      this.endings['rolled back'] = (this.endings['rolled back'] ?? 0) + 1;
    }
    return removed;
  }

  /**
   * A success has done every step from its input to its end or to a question, each once, and its input once.
   */
  #checkSuccess({ runId, threadId }: Lease, snapshot: Snapshot | undefined, build: Build | undefined): void {
    const { next, entries } = this.#checkpoints.head(threadId);
    const [first = 'the end'] = next;
    const asks = build?.asksAt === undefined ? undefined : build.nodes[build.asksAt];
    if (first !== (snapshot?.next[0] ?? 'the end') || (first !== 'the end' && first !== asks))
      this.#violate(`${runId} is a success, and ${first} comes next`);
    const steps = entries.flatMap((entry) => (entry.kind === 'step' ? [entry.at] : []));
    const isWhole = steps.every((at, index) => at === index);
    const isAtEnd = first !== 'the end' || entries.length === 0 || steps.length === build?.nodes.length;
    if (!isWhole || !isAtEnd) this.#violate(`${runId} is a success after steps ${steps.join(', ')}`);
    if (entries.filter((entry) => entry.kind === 'input').length > 1)
      this.#violate(`${runId} has applied its input twice`);
  }

  /** The row of a thread says what its checkpoint says. */
  #checkNext(threadId: string): void {
    const said = this.threads.get(threadId)?.next[0] ?? 'the end';
    const [first = 'the end'] = this.#checkpoints.head(threadId).next;
    if (said !== first) this.#violate(`${threadId} is said to go on at ${said}, and goes on at ${first}`);
  }

  #changed(run: ModelRun, before: RunStatus | undefined): void {
    if (run.failures > this.deaths.of(run.runId))
      this.#violate(`${run.runId} counts ${run.failures} failures after ${this.deaths.of(run.runId)} deaths`);
    if (before !== undefined && before !== 'pending' && before !== 'running')
      this.#violate(`${run.runId} has ended as ${before}, and is ${run.status} now`);
    if (run.status !== 'running' || before === 'running') return;
    const others = this.liveOf(run.threadId).filter((other) => other !== run);
    const running = others.find(({ status }) => status === 'running');
    if (running !== undefined) this.#violate(`${run.runId} runs beside ${running.runId}`);
    if (run.attempt === 1 && others.some((other) => other.notBefore < run.notBefore))
      this.#violate(`${run.runId} runs before an older one`);
  }
}
