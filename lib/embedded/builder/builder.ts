import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BuildChanged,
  type BuildJob,
  type BuildState,
  type Builds,
  CannotBuildFor,
} from '../../adapters/builds.ts';
import type { Logs } from '../../adapters/logs.ts';
import { platformOf } from '../../contract/images/platforms.ts';
import { pathHiding } from '../../processes/hidden-paths.ts';
import { openBuildLog } from './build-log.ts';
import { tidyDependencyCaches } from './dependency-cache.ts';
import { BuildAborted } from './failure.ts';
import { type EndState, openResults, type Results } from './results.ts';
import { type BuildTools, runBuild } from './run-build.ts';
import { tidyTools } from './uv.ts';
import { type BuildLimits, defaultLimits } from './watch.ts';
import { removeFolder } from './work-folder.ts';

/**
 * Two: an install waits for disk and network most of its time, and more would slow down the agents that run
 * here.
 */
const DEFAULT_CONCURRENCY = 2;

export type BuilderOptions = Omit<BuildTools, 'limits' | 'cacheFolder' | 'toolsFolder'> & {
  /**
   * Holds `work/` (one folder a running build), `builds/` (how builds ended), `cache/` (what was installed)
   * and `tools/` (programs that builds use and this machine lacks).
   */
  dataFolder: string;
  logs: Pick<Logs, 'append'>;
  limits?: Partial<BuildLimits>;
  concurrency?: number;
};

/** Builds in this process's children. */
export type Builder = Builds & {
  /**
   * Called when a build starts to run and when it has ended (its state is readable by then); must not throw.
   */
  onChange(listener: (change: BuildChanged) => void): void;
  /** Ends everything. Builds that had not ended are `lost` afterwards, as after a crash. */
  close(): Promise<void>;
};

type ActiveBuild = {
  buildId: string;
  job: BuildJob;
  state: BuildState;
  controller: AbortController;
  /** Resolves when it has ended and its end is announced. */
  ended: PromiseWithResolvers<void>;
};

/** Opens the builder and removes the work folders that an earlier run left. */
export async function openBuilder(options: BuilderOptions): Promise<Builder> {
  const workFolder = join(options.dataFolder, 'work');
  await mkdir(workFolder, { recursive: true });
  for (const name of await readdir(workFolder)) await removeFolder(join(workFolder, name));
  await tidyDependencyCaches(join(options.dataFolder, 'cache'));
  await tidyTools(join(options.dataFolder, 'tools'));
  const results = await openResults(join(options.dataFolder, 'builds'), Date.now());
  return new BuildQueue({ ...options, workFolder, results });
}

const tokenPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** What is installed here runs on machines of this kind. */
function refuseOther({ output, platforms }: BuildJob): void {
  const own = platformOf(process);
  if (output === 'folder' && platforms.length > 0 && !platforms.includes(own))
    throw new CannotBuildFor(platforms, [own]);
}

/** First come, first built; but no tenant waits for the queue of one that has more builds running. */
function nextOf(builds: readonly ActiveBuild[], running: readonly ActiveBuild[]): ActiveBuild | undefined {
  const busy = ({ job: { tenantId } }: ActiveBuild) =>
    running.filter(({ job }) => job.tenantId === tenantId).length;
  const [next] = builds
    .filter((build) => build.state.state === 'waiting')
    .toSorted((a, b) => busy(a) - busy(b));
  return next;
}

class BuildQueue implements Builder {
  readonly #options: BuilderOptions & { workFolder: string; results: Results };
  readonly #active = new Map<string, ActiveBuild>();
  readonly #listeners: ((change: BuildChanged) => void)[] = [];
  #closed = false;

  constructor(options: BuilderOptions & { workFolder: string; results: Results }) {
    this.#options = options;
  }

  async start(job: BuildJob): Promise<{ buildId: string }> {
    if (!tokenPattern.test(job.buildName)) throw new Error(`'${job.buildName}' cannot name a build.`);
    if (this.#closed) throw new Error('The builder is closing.');
    refuseOther(job);
    // The id follows from the token, so a start that is repeated after a restart finds the same build.
    const buildId = `build-${job.buildName}`;
    if (this.#active.has(buildId) || this.#options.results.has(buildId)) return { buildId };
    const ended = Promise.withResolvers<void>();
    const build = {
      buildId,
      job,
      state: { state: 'waiting' as const },
      controller: new AbortController(),
      ended,
    };
    this.#active.set(buildId, build);
    this.#startNext();
    return { buildId };
  }

  async stop(buildId: string): Promise<void> {
    const build = this.#active.get(buildId);
    if (build === undefined) return;
    build.controller.abort(new BuildAborted('stopped'));
    if (build.state.state === 'waiting') await this.#end(build, { state: 'stopped' });
    await build.ended.promise;
  }

  async state(buildId: string): Promise<BuildState> {
    const build = this.#active.get(buildId);
    if (build !== undefined) return build.state;
    if (!tokenPattern.test(buildId)) return { state: 'absent' };
    // Builds live in this process, so one without a result went with an earlier one.
    return (await this.#options.results.read(buildId)) ?? { state: 'lost' };
  }

  onChange(listener: (change: BuildChanged) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const builds = [...this.#active.values()];
    for (const build of builds) build.controller.abort(new BuildAborted('closing'));
    const running = builds.filter((build) => build.state.state === 'running');
    await Promise.all(running.map((build) => build.ended.promise));
    this.#active.clear();
  }

  #startNext(): void {
    const builds = [...this.#active.values()];
    const running = builds.filter((build) => build.state.state === 'running');
    const next = nextOf(builds, running);
    const mayRun = running.length < (this.#options.concurrency ?? DEFAULT_CONCURRENCY);
    if (this.#closed || next === undefined || !mayRun) return;
    next.state = { state: 'running' };
    this.#announce(next);
    void this.#run(next);
  }

  async #run(build: ActiveBuild): Promise<void> {
    const { job, buildId, controller } = build;
    const { limits, workFolder, dataFolder, logs } = this.#options;
    const { tenantId, deploymentId, revisionId } = job;
    const folder = join(workFolder, buildId);
    const hide = pathHiding([
      [folder, '.'],
      [dataFolder, '<data>'],
    ]);
    const stream = { tenantId, deploymentId, revisionId, type: 'build' } as const;
    const log = openBuildLog(logs, stream, { maskValues: job.maskValues, hide });
    const cacheFolder = join(dataFolder, 'cache');
    const toolsFolder = join(dataFolder, 'tools');
    const tools = { ...this.#options, cacheFolder, toolsFolder, limits: { ...defaultLimits, ...limits } };
    const state = await runBuild(tools, { job, folder, log, controller });
    await this.#end(build, state);
  }

  async #end(build: ActiveBuild, state: EndState): Promise<void> {
    build.state = state;
    // A build that ends because we close was not stopped by anybody: the next run must not believe so.
    if (!this.#closed) await this.#keep(build, state);
    build.ended.resolve();
    this.#announce(build);
    this.#startNext();
  }

  /** A result that cannot be written (a full disk) stays in memory. */
  async #keep(build: ActiveBuild, state: EndState): Promise<void> {
    const written = await this.#options.results.write(build.buildId, state).then(
      () => true,
      () => false,
    );
    if (written) this.#active.delete(build.buildId);
  }

  #announce({ buildId, job: { tenantId, deploymentId, revisionId } }: ActiveBuild): void {
    for (const listener of this.#listeners)
      listener({ buildId, ref: { tenantId, deploymentId, revisionId } });
  }
}
