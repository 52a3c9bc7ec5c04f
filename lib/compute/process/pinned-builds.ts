import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { messageOf, pause } from '../../listener/backoff.ts';
import { buildIdOf } from './durable.ts';
import { announceEnd, type Demand, type Demands, demandAt } from './internal-calls.ts';
import {
  type KeptBuild,
  keptBuildOf,
  keptBuildsIn,
  noteKeptBuilds,
  specOfKept,
  withReplaced,
} from './kept-builds.ts';
import { restartWait } from './restart-wait.ts';
import type { Server } from './server.ts';
import { type WaitingContext, WaitingThreads } from './waiting-threads.ts';

/** How often the server that serves is asked which other builds are wanted. */
const LOOK_MILLISECONDS = 2_000;
/** As often as that, if there are none: for the counts alone. */
const LOOK_ALONE_MILLISECONDS = 15_000;
/** A build that was started again stays for so long when it has nothing to do: the next question may come soon. */
const IDLE_MILLISECONDS = 60_000;
/** So many builds are started again at once. */
const WOKEN_MAX = 2;

export type PinningContext = WaitingContext & {
  /** The revision that serves; undefined while none does. */
  serving: () => string | undefined;
  start: (spec: DeploySpec, signal: AbortSignal) => Promise<Server>;
  stop: (server: Server) => Promise<void>;
  /** Removes a revision's folder, unless something else needs it. */
  forget: (revisionId: string) => Promise<void>;
};

type Live = { spec: DeploySpec; server: Server };

/** A build beside the one that serves. `server`: undefined while it is being started. */
type Beside = {
  server: Server | undefined;
  isWoken: boolean;
  idleSince: number | undefined;
  /** The variables that it was started again with. */
  given?: string;
};

/**
 * The builds of a deployment that threads wait in: a replaced one keeps its server while it has runs, and is
 * started again when one of its threads is wanted. Database and folders of a deployment are on this machine,
 * so nobody else has to know of them.
 */
export class PinnedBuilds {
  readonly threads: WaitingThreads;
  readonly #context: PinningContext;
  readonly #ending = new AbortController();
  /** All servers of the deployment, whoever keeps them. */
  readonly #live = new Set<Live>();
  readonly #beside = new Map<string, Beside>();
  readonly #failures = new Map<string, { count: number; nextAt: number }>();
  #kept: KeptBuild[];
  #looking: Promise<void> | undefined;
  /** What serves, or has served last, with the values of its variables. */
  #served: DeploySpec | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #soon = new AbortController();
  readonly #work = new Set<Promise<unknown>>();

  constructor(context: PinningContext) {
    this.#context = context;
    this.threads = new WaitingThreads(context);
    this.#kept = keptBuildsIn(context.folder);
  }

  /** A revision has a server: its build may be wanted when another one serves. */
  note(spec: DeploySpec, server: Server): void {
    const build = keptBuildOf(spec);
    const before = this.#kept.find(({ build_id: id }) => id === build.build_id);
    this.#keep([...this.#kept.filter((one) => one !== before), build]);
    this.#watch({ spec, server });
    this.#looking ??= this.#run();
    const isUsed = [...this.#live].some((one) => one.spec.revision_id === before?.revision_id);
    if (before !== undefined && !isUsed) this.#track(this.#context.forget(before.revision_id));
  }

  #watch(live: Live): void {
    this.#live.add(live);
    void live.server.group.exited.then(() => this.#live.delete(live));
  }

  #serving(): Live | undefined {
    const revisionId = this.#context.serving();
    return [...this.#live].findLast(({ spec }) => spec.revision_id === revisionId);
  }

  #isLive(buildId: string): boolean {
    return [...this.#live].some(({ spec }) => buildIdOf(spec) === buildId);
  }

  /** Whether the folder of a revision has to stay. */
  needs(revisionId: string): boolean {
    return this.#kept.some(({ revision_id: id }) => id === revisionId);
  }

  /** Takes over a server that was replaced; false: its build still serves, so it can go. */
  take(server: Server): boolean {
    const live = [...this.#live].find((one) => one.server === server);
    const serving = this.#serving();
    if (live === undefined || this.#ending.signal.aborted) return false;
    const id = buildIdOf(live.spec);
    // While none serves, as after a crash, it goes on with what it has in hand.
    if ((serving && buildIdOf(serving.spec)) === id || this.#beside.has(id)) return false;
    this.#put(id, { server, isWoken: false, idleSince: undefined });
    return true;
  }

  /** Tells all servers that their connections will be closed. */
  async announceEnd(): Promise<void> {
    await Promise.all([...this.#live].map(({ server }) => announceEnd(server)));
  }

  /** Stops all servers that were started here. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#looking;
    await Promise.all(this.#work);
    const servers = [...this.#beside.values()].flatMap(({ server }) => server ?? []);
    this.#beside.clear();
    await Promise.all(servers.map((server) => this.#context.stop(server)));
  }

  #keep(builds: KeptBuild[]): void {
    this.#kept = builds;
    noteKeptBuilds(this.#context.folder, builds);
  }

  #put(id: string, beside: Beside): void {
    this.#beside.set(id, beside);
    void beside.server?.group.exited.then(() => {
      if (this.#beside.get(id) === beside) this.#beside.delete(id);
    });
  }

  /** Threads that wait in these revisions shall go on with what serves; no others any more. */
  release(revisionIds: readonly string[]): void {
    if (this.threads.release(revisionIds)) this.lookSoon();
  }

  /** Something may have to be done at once: another revision serves, or threads shall go. */
  lookSoon(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#soon.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await pause(LOOK_MILLISECONDS, AbortSignal.any([signal, this.#soon.signal]));
      this.#soon = new AbortController();
      const serving = this.#serving();
      const spec = serving?.spec ?? this.#served;
      if (signal.aborted || spec === undefined) continue;
      this.#served = spec;
      const own = buildIdOf(spec);
      const isAlone = !this.#kept.some(({ build_id: id }) => id !== own);
      if (isAlone && performance.now() - this.#lookedAt < LOOK_ALONE_MILLISECONDS) continue;
      this.#lookedAt = performance.now();
      const look = serving === undefined ? this.#lookWithout(own, spec) : this.#look(own, serving);
      // A server that does not answer is being started again, by whoever keeps it.
      await look.catch(() => undefined);
    }
  }

  /**
   * While what serves crashes, any other server says which builds are wanted, if there is one. Threads go
   * nowhere, and no build is forgotten: that is for a server of the build that serves.
   */
  async #lookWithout(own: string, serving: DeploySpec): Promise<void> {
    const demands = await Promise.any([...this.#live].map(({ server }) => demandAt(server)));
    for (const { build, demand, beside } of this.#others(own, demands)) {
      if (isBusy(demand)) this.#wake(build, serving, beside);
      else if (beside !== undefined) this.#rest(build, serving, beside);
    }
  }

  /** Each kept build but the one that serves, with what is wanted of it. */
  #others(own: string, { builds }: Demands): { build: KeptBuild; demand?: Demand; beside?: Beside }[] {
    return this.#kept.flatMap((build) => {
      const { build_id: id } = build;
      if (id === own) return [];
      const demand = builds.find(({ build_id: one }) => one === id);
      const beside = this.#beside.get(id);
      return [{ build, ...(demand && { demand }), ...(beside && { beside }) }];
    });
  }

  async #look(own: string, { spec, server }: Live): Promise<void> {
    this.#noteReplaced(own);
    const before = await demandAt(server);
    const isChanged = await this.threads.settle({
      spec,
      server,
      own,
      kept: this.#kept,
      failing: new Set(this.#failures.keys()),
      demands: before,
    });
    const demands = isChanged ? await demandAt(server) : before;
    this.threads.note({ own, spec, demands }, isChanged);
    for (const { build, demand, beside } of this.#others(own, demands)) {
      if (isBusy(demand)) this.#wake(build, spec, beside);
      else if (beside !== undefined) this.#rest(build, spec, beside);
      // One that is just being deployed has nothing to do yet.
      else if (demand === undefined && !this.#isLive(build.build_id)) await this.#forget(build);
    }
    // One that serves again is no longer beside anything.
    const again = this.#beside.get(own);
    if (again?.server !== undefined) this.#stop(own, again.server);
  }

  #noteReplaced(own: string): void {
    const noted = withReplaced(this.#kept, own, Date.now());
    if (JSON.stringify(noted) !== JSON.stringify(this.#kept)) this.#keep(noted);
  }

  #wake(build: KeptBuild, serving: DeploySpec, beside: Beside | undefined): void {
    if (beside !== undefined) {
      beside.idleSince = undefined;
      return;
    }
    const id = build.build_id;
    // One that was just replaced still lets its requests come to their end.
    if (this.#isLive(id)) return;
    const failed = this.#failures.get(id);
    if (failed !== undefined && performance.now() < failed.nextAt) return;
    if (!this.#hasRoom()) return;
    this.#beside.set(id, { server: undefined, isWoken: true, idleSince: undefined });
    const { say, start } = this.#context;
    say(build.revision_id, 'INFO', 'A thread that waits in this revision is wanted: it is started again.');
    const spec = specOfKept(build, serving);
    this.#track(
      start(spec, this.#ending.signal).then(
        (server) => {
          this.#failures.delete(id);
          this.#watch({ spec, server });
          this.#put(id, { server, isWoken: true, idleSince: undefined, given: givenBy(spec) });
        },
        (error: unknown) => {
          this.#beside.delete(id);
          if (this.#ending.signal.aborted) return;
          const count = (failed?.count ?? 0) + 1;
          this.#failures.set(id, { count, nextAt: performance.now() + restartWait(count) });
          say(build.revision_id, 'ERROR', messageOf(error));
        },
      ),
    );
  }

  /** Whether another build may be started again. The one that has had nothing to do for longest makes room. */
  #hasRoom(): boolean {
    const woken = [...this.#beside].filter(([, { isWoken }]) => isWoken);
    if (woken.length < WOKEN_MAX) return true;
    const idle = woken.filter(([, { idleSince }]) => idleSince !== undefined);
    const [id, longest] = idle.toSorted(([, a], [, b]) => (a.idleSince ?? 0) - (b.idleSince ?? 0))[0] ?? [];
    if (id !== undefined && longest?.server !== undefined) this.#stop(id, longest.server);
    return false;
  }

  #rest(build: KeptBuild, serving: DeploySpec, beside: Beside): void {
    if (beside.server === undefined) return;
    beside.idleSince ??= performance.now();
    // What is wanted next gets the newest values.
    const isOutdated = beside.given !== givenBy(specOfKept(build, serving));
    const limit = beside.isWoken && !isOutdated ? IDLE_MILLISECONDS : 0;
    if (performance.now() - beside.idleSince >= limit) this.#stop(build.build_id, beside.server);
  }

  #stop(id: string, server: Server): void {
    this.#beside.delete(id);
    this.#track(this.#context.stop(server));
  }

  async #forget(build: KeptBuild): Promise<void> {
    this.#keep(this.#kept.filter((one) => one !== build));
    await this.#context.forget(build.revision_id);
  }

  #track(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }
}

const givenBy = ({ environment }: DeploySpec): string => JSON.stringify(environment);

const isBusy = (demand: Demand | undefined): boolean =>
  demand !== undefined && demand.pending + demand.running + demand.calls > 0;
