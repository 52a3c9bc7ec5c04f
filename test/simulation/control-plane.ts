import { create as createBuild } from '../../functions/tasks/revision/build.ts';
import { create as createDeploy } from '../../functions/tasks/revision/deploy.ts';
import { create as createFinish } from '../../functions/tasks/revision/finish.ts';
import { create as createPrepare } from '../../functions/tasks/revision/prepare.ts';
import { BuildsAtCapacity } from '../../lib/adapters/builds.ts';
import type { ListenerRef, RevisionRef } from '../../lib/contract/refs.ts';
import type { Deps } from '../../lib/core/deps.ts';
import { dispatch } from '../../lib/core/engine/dispatch.ts';
import { recordBuild } from '../../lib/core/engine/record-build.ts';
import { requeue } from '../../lib/core/engine/requeue.ts';
import { sweep } from '../../lib/core/engine/sweep.ts';
import { StepRefused } from '../../lib/core/steps/prepare.ts';
import { ringsOf } from '../../lib/features/events/rings.ts';
import { ring } from '../../lib/features/listener-protocol/sockets.ts';
import { Transient } from '../../lib/triggers/task.ts';
import { type DeploymentOf, depsOf, type Services, type SimulatedDeps } from './deps.ts';
import { limits, SECOND } from './faults.ts';
import type { Ground } from './ground.ts';
import type { Guards } from './guards.ts';
import { Ended, type Function, type Invocation, Invocations, NotStarted, Unheard } from './invocation.ts';
import type { Plan } from './plan.ts';
import { BlobStore } from './services/blob-store.ts';
import { BuildService } from './services/builds.ts';
import { Executions } from './services/executions.ts';
import { SocketService } from './services/sockets.ts';
import { Stream, type StreamRecord } from './services/stream.ts';
import type { Change, MemoryTable } from './table/memory-table.ts';

type Input = RevisionRef & { attempt: number; token: string; retry: number };

type Step = (deps: () => SimulatedDeps) => (input: Input) => Promise<unknown>;

/** What each state of the machine calls. */
const steps: Record<string, Step> = {
  Prepare: createPrepare,
  Build: createBuild,
  Deploy: createDeploy,
  Finish: createFinish,
};

export type Options = {
  /** One process does all, and dies as one. */
  isEmbedded: boolean;
  /** Finds what nothing else wakes; without it the check of mutants sees what it is for. */
  sweeps: boolean;
  guards: Guards | undefined;
  patienceSeconds: Plan['patienceSeconds'];
  splitsEnds: boolean;
  isRung: boolean;
};

/** All functions of the control plane, each call of them by its trigger. */
export class ControlPlane {
  readonly blobs = new BlobStore();
  readonly builds: BuildService;
  readonly executions: Executions;
  readonly sockets: SocketService;
  readonly #ground: Ground;
  readonly #table: MemoryTable;
  readonly #options: Options;
  readonly #invocations: Invocations;
  readonly #stream: Stream;
  readonly #services: Services;
  readonly #deploymentOf: DeploymentOf;
  readonly #waiting = new Set<() => void>();
  #isStopped = false;

  constructor(ground: Ground, table: MemoryTable, deploymentOf: DeploymentOf, options: Options) {
    this.#ground = ground;
    this.#table = table;
    this.#options = options;
    this.#deploymentOf = deploymentOf;
    this.#invocations = new Invocations(ground);
    this.builds = new BuildService(ground, this.blobs, (changed) => {
      void this.#quietly('build-changed', limits.step, (deps) => recordBuild(deps, changed));
    });
    this.executions = new Executions(ground, {
      callStep: (state, payload) => this.#callStep(state, payload),
      onBadEnd: (ref) => this.#announceEnd(ref),
    });
    this.#stream = new Stream(ground, (records) => this.#dispatch(records));
    this.sockets = new SocketService(ground);
    const { executions, builds, blobs, sockets } = this;
    const taskNotifier = (invocation: Invocation) => this.#taskNotifier(invocation);
    this.#services = {
      ground,
      table,
      executions,
      builds,
      blobs,
      taskNotifier,
      sockets,
      isRung: options.isRung,
      guards: options.guards,
      splitsEnds: options.splitsEnds,
      patienceSeconds: options.patienceSeconds,
      ownerId: options.isEmbedded ? 'runtime' : undefined,
    };
  }

  /** Calls a function with its own dependencies. */
  invoke<T>(called: Function, run: (deps: SimulatedDeps) => Promise<T>): Promise<T> {
    return this.#invocations.invoke(called, (invocation) =>
      run(depsOf(this.#services, invocation, this.#deploymentOf)),
    );
  }

  /** A request to the API. */
  readonly api = <T>(name: string, run: (deps: SimulatedDeps) => Promise<T>): Promise<T> =>
    this.invoke({ name, milliseconds: limits.api }, run);

  /** Takes what a write has changed to whoever hears of it. */
  hear(changes: Change[]): void {
    const { faults, random, time } = this.#ground;
    for (const change of changes) {
      const late = faults.chance(faults.profile.indexLag) ? random.between(1, 2_000) : 0;
      if (late === 0) this.#table.showInIndex(change);
      else time.after(late, () => this.#table.showInIndex(change));
      this.#stream.add(change);
      const entity = (change.after ?? change.before)?.entity;
      if (entity === 'task') for (const wake of this.#waiting) wake();
      for (const ref of this.#options.isRung ? ringsOf({ ...change, sequenceNumber: '', at: 0 }) : [])
        this.#ringSoon(ref);
    }
  }

  /** Whoever rings is woken late, twice or never. */
  #ringSoon(ref: ListenerRef): void {
    const { faults, random, time } = this.#ground;
    if (faults.chance(faults.profile.loss)) return this.#ground.count('wakes for rings lost');
    for (let times = faults.chance(faults.profile.duplicate) ? 2 : 1; times > 0; times--) {
      const seconds = faults.chance(0.02) ? random.between(5, 300) : random.between(0.02, 1);
      time.after(seconds * SECOND, () => {
        void this.#quietly('ring', limits.step, (deps) => ring(deps, ref));
      });
    }
  }

  startSweeping(): void {
    const { faults, random, time } = this.#ground;
    if (!this.#options.sweeps) return;
    const tick = () => {
      if (this.#isStopped) return;
      time.after((faults.active ? faults.profile.sweepSeconds : 60) * SECOND, tick);
      if (this.#isAnythingDue()) void this.#sweep(false);
    };
    time.after(random.between(0, 60) * SECOND, tick);
  }

  /** One sweep more. */
  sweepNow(): void {
    if (this.#options.sweeps) void this.#sweep(false);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** The process that does everything dies, or is stopped in order; it comes back after so long. */
  restart(how: 'killed' | 'stopped', downMilliseconds: number): void {
    const { facts, faults, say, time } = this.#ground;
    say(() => `the runtime is ${how} for ${downMilliseconds / SECOND} s`);
    faults.goDown(downMilliseconds);
    this.#invocations.killAll();
    const executed = this.executions.endAll(how === 'killed' ? 'failed' : 'stopped');
    const built = this.builds.loseAll();
    // One death, even when both of a revision are gone.
    const hit = new Set([...executed, ...built.map(({ ref }) => ref.revisionId)]);
    if (how === 'killed') for (const id of hit) facts.noteDeath(id);
    time.after(downMilliseconds, () => {
      if (!faults.down) void this.#sweep(true);
    });
  }

  /**
   * Everything that is at work dies, and nothing can be started for so long; what other services do goes on.
   */
  goDown(milliseconds: number): void {
    const { faults, say } = this.#ground;
    say(() => `an outage of ${milliseconds / SECOND} s begins`);
    faults.goDown(milliseconds);
    this.#invocations.killAll();
  }

  /** A sweep that finds nothing does nothing. */
  #isAnythingDue(): boolean {
    return [...this.#table.index.values()].some(({ due_at: at }) => at <= this.#ground.time.now);
  }

  #sweep(all: boolean): Promise<void> {
    return this.#quietly('sweep', limits.sweep, (deps) =>
      sweep(deps, { all }, (error) => this.#hearError(error)),
    );
  }

  async #dispatch(records: StreamRecord[]): Promise<string[]> {
    const called = { name: 'dispatch', milliseconds: limits.consumer };
    return this.invoke(called, (deps) => dispatch(deps, records, (error) => this.#hearError(error)));
  }

  async #callStep(state: string, payload: object): Promise<unknown> {
    const step = steps[state];
    if (step === undefined) throw new Error(`the state ${state} calls nothing`);
    const called = { name: state, milliseconds: limits.step };
    // What a state is given is what its function takes: the text of the state machine says so.
    const input = payload as Input;
    const work = this.invoke(called, (deps) => step(() => deps)(input));
    return this.#perhapsUnheard(state, work).catch((error: unknown) => {
      this.#ground.say(() => `${state}: ${String(error)}`);
      this.#noteDeath(state, input, error);
      throw error;
    });
  }

  /** Sometimes the workflow gives up on a function that goes on. */
  #perhapsUnheard<T>(state: string, work: Promise<T>): Promise<T> {
    const { faults, random, time } = this.#ground;
    if (!faults.chance(0.01)) return work;
    const name = random.pick(['Lambda.SdkClientException', 'Lambda.Unknown'] as const);
    const unheard = time
      .wait(random.between(0, 3) * SECOND)
      .then(() => Promise.reject(new Unheard(state, name)));
    return Promise.race([work, unheard]);
  }

  /**
   * A step that does not end by itself or by what it was told is a crash; one that throws anything else is a
   * defect.
   */
  #noteDeath(state: string, { tenantId, deploymentId, revisionId }: Input, error: unknown): void {
    const { facts, violate } = this.#ground;
    const deployment = this.#table.get(`T#${tenantId}#D#${deploymentId}`, 'A');
    const slot = deployment?.slot as { kind: string } | undefined;
    // Late, of what is deleted or being removed.
    if (deployment === undefined || slot?.kind === 'delete') return;
    if (error instanceof StepRefused || error instanceof BuildsAtCapacity) return;
    facts.noteDeath(revisionId);
    const isOurs = [Ended, NotStarted, Transient, Unheard].some((kind) => error instanceof kind);
    if (!isOurs && !facts.wasHit(deploymentId)) violate(`the step ${state} throws: ${String(error)}`);
  }

  #announceEnd(ref: RevisionRef): void {
    const { faults, random, time } = this.#ground;
    if (this.#options.isEmbedded || faults.chance(faults.profile.loss)) return;
    const seconds = random.chance(0.5) ? random.between(0.02, 0.4) : random.between(0.4, 5);
    time.after(seconds * SECOND, () => {
      void this.#quietly('execution-ended', limits.step, (deps) => requeue(deps, ref));
    });
  }

  async #quietly(
    name: string,
    milliseconds: number,
    run: (deps: SimulatedDeps) => Promise<unknown>,
  ): Promise<void> {
    await this.invoke({ name, milliseconds }, run).catch((error: unknown) => {
      this.#ground.say(() => `${name}: ${String(error)}`);
    });
  }

  /** What the engine itself calls impossible is a defect, whatever became of it. */
  #hearError(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    this.#ground.say(() => `a look failed: ${words}`);
    this.#ground.count('looks that failed');
    if (/does not come to rest|is queued but not stored|undefined/.test(words))
      this.#ground.violate(`the engine says: ${words}`);
  }

  #taskNotifier(invocation: Invocation): Deps['taskNotifier'] {
    if (!this.#options.isEmbedded) return { holds: false, wait: async () => undefined };
    return {
      holds: true,
      wait: (_, milliseconds) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
        void invocation.wait(milliseconds).then(wake);
        return promise;
      },
    };
  }
}
