import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RevisionStatus } from '../../lib/contract/revision-status.ts';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { gitRepositoryIn, type TestRepository } from '../support/git-repository.ts';
import { helloFiles } from '../support/hello-server.ts';
import { stillRunning } from '../support/processes.ts';
import {
  create,
  deployed,
  deploymentOf,
  ended,
  endProgram,
  expectApi,
  familyOf,
  helloFrom,
  type Program,
  patch,
  revisionOf,
  revisionUntil,
  type ShownDeployment,
  type ShownRevision,
  startProgram,
} from '../support/program.ts';
import { newFolder, removeFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import type { Files } from '../support/write-files.ts';

/** The statuses in which a revision is when the program is killed, how it ends, and what its message says then. */
const fates = [
  { status: 'QUEUED', ends: 'DEPLOYED', reason: /^$/ },
  { status: 'AWAITING_BUILD', ends: 'BUILD_FAILED', reason: /^The build was lost/ },
  { status: 'BUILDING', ends: 'BUILD_FAILED', reason: /^The build was lost/ },
  { status: 'AWAITING_DEPLOY', ends: 'DEPLOY_FAILED', reason: /^The deploy was lost/ },
  { status: 'DEPLOYING', ends: 'DEPLOY_FAILED', reason: /^The deploy was lost/ },
] as const satisfies { status: RevisionStatus; ends: RevisionStatus; reason: RegExp }[];
type Status = (typeof fates)[number]['status'];

/** What every build here does; npm, in front of it each time, would take longer than all else. */
const build_command = 'sh build.sh';

/** The example server, whose build ends at once. */
const quickBuild = (version: string) => helloFiles(version, { 'build.sh': '' });

/** The example server, whose build ends only when the gate, a file, is there. */
const slowBuild = (version: string, gate: string) =>
  helloFiles(version, { 'build.sh': `until [ -e '${gate}' ]; do sleep 0.05; done\n` });

/** The example server, which listens only when the gate is there. */
async function slowStart(version: string, gate: string): Promise<Files> {
  const files = await quickBuild(version);
  const wait = `while (!existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 50));`;
  const server = `import { existsSync } from 'node:fs';\n${wait}\n${files['server.js']}`;
  return { ...files, 'server.js': server };
}

/** A deployment that serves v1, whose second revision stands in one status, with a third one queued behind it. */
type Standing = { repository: TestRepository; deployment: ShownDeployment; second: string; third: string };

/** The program with one of those for each status, all at the same time. */
class Scene {
  readonly program: Program;
  readonly folder: string;
  /** All that waits goes on when this file is there. */
  readonly gate: string;

  constructor(program: Program, folder: string) {
    this.program = program;
    this.folder = folder;
    this.gate = join(folder, 'gate');
  }

  async serving(name: string): Promise<Standing> {
    const repository = await gitRepositoryIn(await newFolder(this.folder), await quickBuild('v1'));
    const { url: repo_url } = repository;
    const source_config = { repo_url, build_command };
    const made = await create(this.program, name, repo_url, { source_config });
    return { repository, deployment: await deployed(this.program, made), second: '', third: '' };
  }

  /** Makes a revision of the deployment, of these files if any. Gives its id. */
  async change({ repository, deployment }: Standing, files?: Files): Promise<string> {
    if (files !== undefined) await repository.commit(files);
    const change = { source_revision_config: { repo_ref: 'main' } };
    return (await patch(this.program, deployment.id, change)).latest_revision_id;
  }

  /** Throws when the revision has ended instead. */
  async reaches({ deployment }: Standing, id: string, status: RevisionStatus): Promise<void> {
    const seen = await revisionUntil(
      this.program,
      deployment.id,
      id,
      (now) => now === status || isTerminal(now),
    );
    if (seen.status !== status)
      throw new Error(`${seen.status} instead of ${status}: ${seen.status_message}`);
  }

  /** Stops the listener in its tracks. If a claim of it is being held, another deployment's task answers that; then it asks no more. */
  async withoutListener({ deployment }: Standing): Promise<void> {
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
  }
}

async function setScene(scene: Scene): Promise<Map<Status, Standing>> {
  const { gate } = scene;
  const served = await Promise.all(
    fates.map(async ({ status }) => {
      const name = `at-${status.toLowerCase().replaceAll('_', '-')}`;
      return [status, await scene.serving(name)] as const;
    }),
  );
  const other = await scene.serving('other');
  const standing = new Map(served);
  const bring = async (status: Status, files?: Files) => {
    const one = standing.get(status);
    if (one === undefined) throw new Error(status);
    one.second = await scene.change(one, files);
    await scene.reaches(one, one.second, status);
  };
  await bring('DEPLOYING', await slowStart('v2', gate));
  await scene.withoutListener(other);
  await bring('AWAITING_DEPLOY');
  // Two builds run at once: this one, and what the queued revision waits for. The next one waits for both.
  await bring('BUILDING', await slowBuild('v2', gate));
  const queued = standing.get('QUEUED') ?? other;
  await scene.reaches(queued, await scene.change(queued, await slowBuild('v2', gate)), 'BUILDING');
  await bring('QUEUED');
  await bring('AWAITING_BUILD');
  for (const one of standing.values()) one.third = await scene.change(one, await slowBuild('v3', gate));
  return standing;
}

/** What a person would bear while nothing serves: a start of the program and of the servers, on a busy machine. */
const SERVES_AGAIN_MS = 20_000;
/** Far below the minute of a lease or of a sweep, either of which would hide a revision that is stuck until then. */
const MOVES_ON_MS = 25_000;

const environment = { SLIPWAY_DRAIN_SECONDS: '1' };

/** Waits until the deployment's stable address, as it was before the kill, answers with this version. */
async function serves(deployment: ShownDeployment, version: string): Promise<void> {
  const isServed = async () => (await helloFrom(deployment).catch(() => undefined))?.version === version;
  await until(isServed, {
    timeoutMs: SERVES_AGAIN_MS,
    what: `${version} to be served by ${deployment.source_config.custom_url}`,
  });
}

/**
 * Kills the program while revisions stand in every status, starts it again on the same data at once, and follows what becomes of
 * everything: what has been deployed serves again, then the second revisions have ended, and the third ones are deployed.
 */
export function testKill(kill: 'killAlone' | 'killGroup'): void {
  let folder: string;
  let program: Program;
  let standing: Map<Status, Standing>;
  const secondOf = ({ deployment, second }: Standing): Promise<ShownRevision> =>
    revisionOf(program, deployment.id, second);

  beforeAll(async () => {
    folder = await newFolder();
    program = await startProgram({ environment });
    const scene = new Scene(program, folder);
    standing = await setScene(scene);
    const before = await familyOf(program);
    for (const [status, one] of standing) {
      expect(await secondOf(one)).toMatchObject({ status });
      expect(await revisionOf(program, one.deployment.id, one.third)).toMatchObject({ status: 'QUEUED' });
    }
    await program[kill]();
    const startedAt = performance.now();
    const sinceStart = () => Math.round(performance.now() - startedAt);
    program = await startProgram({ environment, dataFolder: program.dataFolder });
    const upMs = sinceStart();
    for (const { deployment } of standing.values()) await serves(deployment, 'v1');
    const servesMs = sinceStart();
    await until(() => stillRunning(before).length === 0, {
      timeoutMs: 10_000,
      what: 'everything of the earlier run to be gone',
    });
    for (const { deployment } of standing.values()) {
      expect(await deploymentOf(program, deployment.id)).toMatchObject({
        active_revision_id: deployment.active_revision_id,
        source_config: { custom_url: deployment.source_config.custom_url },
      });
    }
    await writeFile(scene.gate, '');
    process.stdout.write(`${kill}: up_ms=${upMs} serve_again_ms=${servesMs}\n`);
  }, 120_000);
  afterAll(async () => {
    expect(await endProgram(program)).toEqual([]);
    await removeFolder(folder);
  }, 60_000);

  it.each(fates)(
    'ends what was $status as $ends, and moves the queue on',
    async ({ status, ends, reason }) => {
      const one = standing.get(status);
      if (one === undefined) throw new Error(status);
      const last = await ended(program, one.deployment.id, one.third, MOVES_ON_MS);
      expect(last).toMatchObject({ status: 'DEPLOYED' });
      await serves(one.deployment, 'v3');
      const fate = await secondOf(one);
      expect([fate.status, fate.status_message ?? '']).toEqual([ends, expect.stringMatching(reason)]);
    },
  );
}
