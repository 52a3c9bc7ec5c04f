import type { RevisionStatus } from '../../lib/contract/revision-status.ts';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { gitRepositoryIn, type TestRepository } from '../support/files/git-repository.ts';
import { newFolder } from '../support/files/temporary-folder.ts';
import type { Files } from '../support/files/write-files.ts';
import { waitInModule, waitInShell } from '../support/programs/gate.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  deploymentOf,
  expectApi,
  type Program,
  patch,
  revisionUntil,
  type ShownDeployment,
} from '../support/programs/program.ts';

/** The statuses in which a revision is when the program is killed. */
export const stages = ['QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING'] as const;
export type Status = (typeof stages)[number];

/** What every build here does; npm, in front of it each time, would take longer than all else. */
const build_command = 'sh build.sh';

/** The example server, whose build ends at once. */
const quickBuild = (version: string) => helloFiles(version, { 'build.sh': '' });

/** The example server, whose build ends only when the gate, a file, is there. */
const slowBuild = (version: string, gate: string) => helloFiles(version, { 'build.sh': waitInShell(gate) });

/** The example server, which listens only when the gate is there. */
async function slowStart(version: string, gate: string): Promise<Files> {
  const files = await quickBuild(version);
  return { ...files, 'server.js': `${waitInModule(gate)}${files['server.js']}` };
}

/** A deployment and the repository of what it serves. */
type Served = { repository: TestRepository; deployment: ShownDeployment };

/**
 * One that serves, whose next revision stands in one status, with a last one queued behind it. `same`: a
 * revision of what is served already, which the next one waits for and nothing holds up: it may serve soon
 * after the kill.
 */
export type Standing = Served & { next: string; last: string; same?: string };

/**
 * What the deployments serve before a kill, the version that the kill interrupts, and the one that they serve
 * in the end.
 */
export type Versions = { served: string; next: string; last: string };

/**
 * A program with one deployment for each status, all at the same time, and one that never serves: kill after
 * kill the same ones.
 */
export class Scene {
  program: Program;
  readonly folder: string;
  private readonly serving = new Map<Status, Served>();
  private busy: Served | undefined;

  constructor(program: Program, folder: string) {
    this.program = program;
    this.folder = folder;
  }

  /** Deploys a first version everywhere. */
  async serve(version: string): Promise<void> {
    const files = await quickBuild(version);
    for (const status of stages) {
      const name = `at-${status.toLowerCase().replaceAll('_', '-')}`;
      this.serving.set(status, await this.create(name, files));
    }
    // One after the other, for asking costs: they are deployed side by side all the same.
    for (const one of this.serving.values()) one.deployment = await deployed(this.program, one.deployment);
  }

  /** Brings one deployment into each status. No next revision is deployed before the file `gate` is there. */
  async set({ next, last }: Versions, gate: string): Promise<Map<Status, Standing>> {
    const standing = new Map<Status, Standing>();
    for (const [status, { repository, deployment }] of this.serving) {
      const now = await deploymentOf(this.program, deployment.id);
      standing.set(status, { repository, deployment: now, next: '', last: '' });
    }
    const at = (status: Status): Standing => {
      const one = standing.get(status);
      if (one === undefined) throw new Error(status);
      return one;
    };
    const bring = async (status: Status, files: Files) => {
      at(status).next = await this.change(at(status), files);
      await this.reaches(at(status), at(status).next, status);
    };
    const slow = await slowBuild(next, gate);
    const start = await slowStart(next, gate);
    await bring('DEPLOYING', start);
    // What the listener may take last is also what the queued revision waits for.
    at('QUEUED').same = await this.withoutListener(at('QUEUED'));
    await bring('QUEUED', slow);
    await bring('AWAITING_DEPLOY', start);
    // Two builds run at once: this one and one more. The next one waits for both.
    await bring('BUILDING', slow);
    await this.beBusy(slow);
    await bring('AWAITING_BUILD', slow);
    const final = await slowBuild(last, gate);
    for (const one of standing.values()) one.last = await this.change(one, final);
    return standing;
  }

  private async create(name: string, files: Files): Promise<Served> {
    const repository = await gitRepositoryIn(await newFolder(this.folder), files);
    const { url: repo_url } = repository;
    const source_config = { repo_url, build_command };
    return { repository, deployment: await create(this.program, name, repo_url, { source_config }) };
  }

  /** Makes a revision of the deployment, of these files. Gives its id. */
  private async change({ repository, deployment }: Served, files: Files): Promise<string> {
    await repository.commit(files);
    const change = { source_revision_config: { repo_ref: 'main' } };
    return (await patch(this.program, deployment.id, change)).latest_revision_id;
  }

  /** Builds something that nothing else is asked of. */
  private async beBusy(files: Files): Promise<void> {
    const isNew = this.busy === undefined;
    this.busy ??= await this.create('busy', files);
    const { deployment } = this.busy;
    const id = isNew ? deployment.latest_revision_id : await this.change(this.busy, files);
    await this.reaches(this.busy, id, 'BUILDING');
  }

  /** Throws when the revision has ended instead. */
  private async reaches({ deployment }: Served, id: string, status: RevisionStatus): Promise<void> {
    const seen = await revisionUntil(
      this.program,
      deployment.id,
      id,
      (now) => now === status || isTerminal(now),
    );
    if (seen.status !== status)
      throw new Error(`${seen.status} instead of ${status}: ${seen.status_message}`);
  }

  /**
   * Stops the listener in its tracks. If a claim of it is being held, a task of this deployment answers that;
   * then it asks no more. Gives
   * the revision of that task.
   */
  private async withoutListener({ deployment }: Served): Promise<string> {
    const listener = (await this.program.alive()).find(({ command }) => command.includes('bin/listener.ts'));
    if (listener === undefined) throw new Error('there is no listener');
    process.kill(listener.pid, 'SIGSTOP');
    const path = `/v2/deployments/${deployment.id}/revisions/${deployment.latest_revision_id}/redeploy`;
    const { latest_revision_id: taken } = await expectApi<ShownDeployment>(
      this.program,
      'POST',
      path,
      undefined,
      200,
    );
    await revisionUntil(this.program, deployment.id, taken, (status) => status.includes('DEPLOY'));
    return taken;
  }
}
