import {
  type BuildChanged,
  type BuildJob,
  type BuildState,
  BuildsAtCapacity,
} from '../../../lib/adapters/builds.ts';
import type { RevisionRef } from '../../../lib/contract/refs.ts';
import { artifactKeyOf } from '../../../lib/domain/file-places.ts';
import { MINUTE, SECOND } from '../faults.ts';
import type { Ground } from '../ground.ts';
import type { BlobStore } from './blob-store.ts';

export type Build = {
  id: string;
  ref: RevisionRef;
  state: BuildState;
  startedAt: number;
  commitSha: string | undefined;
};

type Fate = 'succeeds' | 'fails' | 'late' | 'is lost' | 'is stopped';

/** The builder's own limit. */
const LIMIT_MILLISECONDS = 30 * MINUTE;

export const isAlive = ({ state: { state } }: Build): boolean => state === 'waiting' || state === 'running';

/** CodeBuild, or the builder of a runtime that can die. */
export class BuildService {
  readonly all = new Map<string, Build>();
  readonly #ground: Ground;
  readonly #blobs: BlobStore;
  readonly #announce: (changed: BuildChanged) => void;

  constructor(ground: Ground, blobs: BlobStore, announce: (changed: BuildChanged) => void) {
    this.#ground = ground;
    this.#blobs = blobs;
    this.#announce = announce;
  }

  start(job: BuildJob): { buildId: string } {
    const { faults, random, time } = this.#ground;
    if (faults.chance(0.03)) throw new BuildsAtCapacity('all builders are busy');
    const id = `build-${job.buildName}`;
    if (this.all.has(id)) return { buildId: id };
    const { tenantId, deploymentId, revisionId } = job;
    const { rootDirectory, buildEnv, buildSecrets } = job;
    for (const [part, told] of [
      ['start', job.startCommand],
      ['build', { rootDirectory, buildEnv, buildSecrets }],
    ] as const) {
      const wrong = this.#ground.facts.noteTold(revisionId, part, told);
      if (wrong !== undefined) this.#ground.violate(wrong);
    }
    const build: Build = {
      id,
      ref: { tenantId, deploymentId, revisionId },
      state: { state: 'waiting' },
      startedAt: time.now,
      commitSha: job.source.kind === 'git' ? job.source.commitSha : undefined,
    };
    this.all.set(id, build);
    this.#ground.say(() => `${id} starts`);
    if (faults.chance(0.03)) {
      this.#keepWaiting(build, random.between(20, 150) * SECOND);
      return { buildId: id };
    }
    time.after(random.between(0, 20) * SECOND, () => {
      if (build.state.state === 'waiting') this.#become(build, { state: 'running' });
    });
    const isStuck = faults.chance(0.02);
    const takes = isStuck ? LIMIT_MILLISECONDS : random.between(2, random.chance(0.1) ? 600 : 120) * SECOND;
    const fate = isStuck ? 'late' : this.#fate();
    time.after(takes, () => {
      this.#ground.aim(deploymentId, revisionId);
      time.after(random.between(0, 30), () => this.#end(build, fate));
    });
    return { buildId: id };
  }

  /** No builder becomes free for it, and the queue lets it wait no longer. */
  #keepWaiting(build: Build, milliseconds: number): void {
    this.#ground.time.after(milliseconds, () => {
      if (build.state.state === 'waiting') this.#become(build, { state: 'unstarted' });
    });
  }

  stop(id: string): void {
    const build = this.all.get(id);
    if (build !== undefined && isAlive(build)) this.#become(build, { state: 'stopped' });
  }

  state(id: string): BuildState {
    const build = this.all.get(id);
    const { faults, time } = this.#ground;
    if (build === undefined) return { state: 'absent' };
    const isNew = time.now - build.startedAt < 3 * SECOND;
    return isNew && faults.chance(0.3) ? { state: 'absent' } : build.state;
  }

  /** As when the process dies that runs them. Gives those that were alive. */
  loseAll(): BuildChanged[] {
    const alive = [...this.all.values()].filter(isAlive);
    for (const build of alive) build.state = { state: 'lost' };
    return alive.map(({ id, ref }) => ({ buildId: id, ref }));
  }

  #fate(): Fate {
    const { faults } = this.#ground;
    if (faults.chance(0.1)) return 'fails';
    if (faults.chance(0.02)) return 'is lost';
    return faults.chance(0.01) ? 'is stopped' : 'succeeds';
  }

  #end(build: Build, fate: Fate): void {
    if (!isAlive(build)) return;
    const { facts } = this.#ground;
    const { revisionId } = build.ref;
    switch (fate) {
      case 'succeeds': {
        const key = artifactKeyOf({ ...build.ref, buildName: build.id.slice('build-'.length) });
        this.#blobs.keys.add(key);
        const artifact = { kind: 'folder', key, sha256: 'a'.repeat(64), sizeBytes: 1 } as const;
        return this.#become(build, { state: 'succeeded', artifact, commitSha: build.commitSha });
      }
      case 'is lost':
        facts.noteDeath(revisionId);
        return this.#become(build, { state: 'lost' });
      case 'is stopped':
        facts.failedBuilds.add(revisionId);
        return this.#become(build, { state: 'stopped' });
      case 'fails':
      case 'late':
        facts.failedBuilds.add(revisionId);
        return this.#become(build, { state: 'failed', message: `npm ci: the build ${fate}` });
    }
  }

  /** Changes are announced, mostly once, sometimes never. */
  #become(build: Build, state: BuildState): void {
    const { faults, random, time, say } = this.#ground;
    say(() => `${build.id} is ${state.state}`);
    build.state = state;
    const times = faults.chance(faults.profile.loss) ? 0 : faults.chance(0.05) ? 2 : 1;
    for (let n = 0; n < times; n++) {
      const late = faults.chance(0.1) ? random.between(1, 60) * SECOND : random.between(50, 900);
      time.after(late, () => {
        this.#ground.aim(build.ref.deploymentId, build.ref.revisionId);
        time.after(random.between(0, 30), () => this.#announce({ buildId: build.id, ref: build.ref }));
      });
    }
  }
}
