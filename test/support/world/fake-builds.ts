import {
  type BuildChanged,
  type BuildJob,
  type BuildState,
  type Builds,
  CannotBuildFor,
} from '../../../lib/adapters/builds.ts';
import type { AgentServer } from '../../../lib/contract/revision-status.ts';
import { artifactKeyOf } from '../../../lib/domain/file-places.ts';

/** Builds that a test moves by hand: what they announce goes where the real ones' events go. */
export class FakeBuilds implements Builds {
  readonly jobs = new Map<string, BuildJob>();
  readonly states = new Map<string, BuildState>();
  readonly stopped: string[] = [];
  /** What can be built for; undefined: anything. */
  able: string[] | undefined;
  onChange: (changed: BuildChanged) => Promise<void> = async () => {};

  async start(job: BuildJob): Promise<{ buildId: string }> {
    const { able } = this;
    if (able !== undefined && !job.platforms.every((one) => able.includes(one)))
      throw new CannotBuildFor(job.platforms, able);
    const buildId = `build-${job.buildName}`;
    if (!this.jobs.has(buildId)) {
      this.jobs.set(buildId, job);
      this.states.set(buildId, { state: 'waiting' });
    }
    return { buildId };
  }

  async stop(buildId: string): Promise<void> {
    this.stopped.push(buildId);
    const state = this.states.get(buildId)?.state;
    if (state === 'waiting' || state === 'running') await this.become(buildId, { state: 'stopped' });
  }

  async state(buildId: string): Promise<BuildState> {
    return this.states.get(buildId) ?? { state: 'absent' };
  }

  /** Changes a build and announces it. */
  async become(buildId: string, state: BuildState): Promise<void> {
    const job = this.jobs.get(buildId);
    if (job === undefined) throw new Error(`no build ${buildId} was started`);
    this.states.set(buildId, state);
    const { tenantId, deploymentId, revisionId } = job;
    await this.onChange({ buildId, ref: { tenantId, deploymentId, revisionId } });
  }

  /** `name`: the build's, which is the revision's id for its first build. */
  async succeed(name: string, made: { server?: AgentServer; durable?: true } = {}): Promise<void> {
    await this.become(`build-${name}`, { state: 'running' });
    const job = this.jobs.get(`build-${name}`);
    const key = job === undefined ? '' : artifactKeyOf(job);
    const platforms = job?.platforms.length ? { platforms: job.platforms } : {};
    await this.become(`build-${name}`, {
      state: 'succeeded',
      artifact: { kind: 'folder', key, sha256: 'a'.repeat(64), sizeBytes: 10, ...platforms, ...made },
      commitSha: 'c'.repeat(40),
    });
  }
}
