import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { RevisionStatus } from '../../lib/contract/revision-status.ts';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { gitRepository, gitRepositoryIn, type TestRepository } from '../support/git-repository.ts';
import { helloFiles } from '../support/hello-server.ts';
import { stillRunning } from '../support/processes.ts';
import {
  create,
  deployed,
  deploymentOf,
  discard,
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
  startProgram,
} from '../support/program.ts';
import { newFolder, removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** A file that others wait for: whoever does goes on once it is open. */
type Gate = { file: string; open(): Promise<void> };

async function newGate(): Promise<Gate> {
  const file = join(await temporaryFolder(), 'open');
  return { file, open: () => writeFile(file, '') };
}

/** Module code that waits until the gate is open. */
const waitFor = ({ file }: Gate) =>
  `import { existsSync } from 'node:fs';\nwhile (!existsSync(${JSON.stringify(file)})) await new Promise((go) => setTimeout(go, 50));\n`;

/** What every build here does; npm, in front of it each time, would take longer than all else. */
const build_command = 'sh build.sh';

/** The example server, whose build ends at once. */
const quickBuild = (version: string) => helloFiles(version, { 'build.sh': '' });

/** The example server, whose build ends only when the gate is open. */
const slowBuild = (version: string, { file }: Gate) =>
  helloFiles(version, { 'build.sh': `until [ -e '${file}' ]; do sleep 0.05; done\n` });

const make = (program: Program, name: string, repo_url: string) =>
  create(program, name, repo_url, { source_config: { repo_url, build_command } });

/** The example server, which listens only when the gate is open. */
async function slowStart(version: string, gate: Gate) {
  const files = await quickBuild(version);
  return { ...files, 'server.js': `${waitFor(gate)}${files['server.js']}` };
}

/** Where a row brings its second revision to the status to be killed in. */
type Stage = {
  program: Program;
  repository: TestRepository;
  /** Its last revision is DEPLOYED and serves. */
  deployment: ShownDeployment;
  gate: Gate;
};
export type Row = {
  status: RevisionStatus;
  /** Makes the second revision and answers its id; it need not have the status yet. */
  bring: (stage: Stage) => Promise<string>;
  /** How it ends after the kill, and what its message says. */
  ends: 'DEPLOYED' | 'BUILD_FAILED' | 'DEPLOY_FAILED';
  reason: RegExp | undefined;
};

const change = async ({ program, deployment }: Pick<Stage, 'program' | 'deployment'>) =>
  (await patch(program, deployment.id, { source_revision_config: { repo_ref: 'main' } })).latest_revision_id;

const reaches = (status: RevisionStatus, { program, deployment }: Stage, id: string) =>
  revisionUntil(program, deployment.id, id, (now) => now === status);

async function commitAndChange(stage: Stage, files: Awaited<ReturnType<typeof quickBuild>>) {
  await stage.repository.commit(files);
  return change(stage);
}

/** So many builds run at once; those of other deployments keep this one's waiting. */
const BUILDS_AT_ONCE = 2;

async function behindOtherBuilds(stage: Stage): Promise<string> {
  const { program, gate } = stage;
  const { url } = await gitRepository(await slowBuild('other', gate));
  for (let index = 0; index < BUILDS_AT_ONCE; index += 1) {
    const other = await make(program, `other-${index}`, url);
    await revisionUntil(program, other.id, other.latest_revision_id, (status) => status === 'BUILDING');
  }
  return change(stage);
}

/** Stops the listener in its tracks. If a claim of it is being held, another deployment's task answers that; then it asks no more. */
async function withoutListener(stage: Stage): Promise<string> {
  const { program } = stage;
  const { url } = await gitRepository(await quickBuild('v1'));
  const other = await deployed(program, await make(program, 'other', url));
  const listener = (await program.alive()).find(({ command }) => command.includes('bin/listener.ts'));
  process.kill(listener?.pid ?? 0, 'SIGSTOP');
  const path = `/v2/deployments/${other.id}/revisions/${other.latest_revision_id}/redeploy`;
  const { latest_revision_id: taken } = await expectApi<ShownDeployment>(
    program,
    'POST',
    path,
    undefined,
    200,
  );
  await revisionUntil(program, other.id, taken, (status) => status.includes('DEPLOY'));
  return change(stage);
}

export const rows: Row[] = [
  {
    status: 'QUEUED',
    bring: async (stage) => {
      const ahead = await commitAndChange(stage, await slowBuild('v2', stage.gate));
      await reaches('BUILDING', stage, ahead);
      return change(stage);
    },
    ends: 'DEPLOYED',
    reason: undefined,
  },
  { status: 'AWAITING_BUILD', bring: behindOtherBuilds, ends: 'BUILD_FAILED', reason: /^The build was lost/ },
  {
    status: 'BUILDING',
    bring: async (stage) => commitAndChange(stage, await slowBuild('v2', stage.gate)),
    ends: 'BUILD_FAILED',
    reason: /^The build was lost/,
  },
  {
    status: 'AWAITING_DEPLOY',
    bring: withoutListener,
    ends: 'DEPLOY_FAILED',
    reason: /^The deploy was lost/,
  },
  {
    status: 'DEPLOYING',
    bring: async (stage) => commitAndChange(stage, await slowStart('v2', stage.gate)),
    ends: 'DEPLOY_FAILED',
    reason: /^The deploy was lost/,
  },
];

/** Waits until the revision of a row has the row's status, so that the kill strikes in it. Throws when it has ended instead. */
async function standsAt({ status }: Row, { program, deployment }: Stage, id: string): Promise<void> {
  const now = await revisionUntil(program, deployment.id, id, (seen) => seen === status || isTerminal(seen));
  if (now.status !== status) throw new Error(`${now.status} instead of ${status}: ${now.status_message}`);
}

/** What a person would bear while nothing serves: a start of the program and of the servers, on a busy machine. */
const SERVES_AGAIN_MS = 20_000;
/** Far below the minute of a lease or of a sweep, either of which would hide a revision that is stuck until then. */
const MOVES_ON_MS = 25_000;

const environment = { SLIPWAY_DRAIN_SECONDS: '1' };

/** What runs through all rows, at rest as the row before has left it: one deployment, and the version that it serves. */
type Served = Pick<Stage, 'program' | 'repository' | 'deployment'> & { version: string };
/** A row that failed leaves nothing. */
let left: Served | undefined;

/** Ends what the last row left; gives the command of each process that was still alive (there should be none). */
export async function endLeft(): Promise<string[]> {
  if (left === undefined) return [];
  await removeFolder(left.repository.folder);
  return endProgram(left.program);
}

async function firstServed(): Promise<Served> {
  const program = await startProgram({ environment });
  const repository = await gitRepositoryIn(await newFolder(), await quickBuild('v1'));
  const deployment = await deployed(program, await make(program, 'struck', repository.url));
  return { program, repository, deployment, version: 'v1' };
}

/**
 * One row: brings a second revision to the row's status with a third one queued, kills the program, starts it again on the same data at
 * once, and follows what becomes of everything. Answers how the second one has ended.
 */
export async function survives(row: Row, kill: 'killAlone' | 'killGroup'): Promise<RevisionStatus> {
  const { program, repository, deployment, version } = left ?? (await firstServed());
  left = undefined;
  onTestFinished(async () => {
    if (left === undefined) await Promise.all([discard(program), removeFolder(repository.folder)]);
  });
  const gate = await newGate();
  const stage = { program, repository, deployment, gate };
  // Without what the row before has put there to hold up a build.
  await repository.commit(await quickBuild(version));
  const second = await row.bring(stage);
  await standsAt(row, stage, second);
  const next = `after ${row.status}`;
  await repository.commit(await slowBuild(next, gate));
  const third = await change(stage);
  expect(await revisionOf(program, deployment.id, third)).toMatchObject({ status: 'QUEUED' });
  const before = await familyOf(program);
  expect(await revisionOf(program, deployment.id, second)).toMatchObject({ status: row.status });

  await program[kill]();
  const startedAt = performance.now();
  const again = await startProgram({ environment, dataFolder: program.dataFolder });
  onTestFinished(async () => {
    if (left === undefined) await discard(again);
  });
  const upMs = Math.round(performance.now() - startedAt);
  await serves(deployment, version);
  const servesMs = Math.round(performance.now() - startedAt);
  await until(async () => stillRunning(before).length === 0, {
    timeoutMs: 10_000,
    what: 'everything of the earlier run to be gone',
  });
  expect(await deploymentOf(again, deployment.id)).toMatchObject({
    active_revision_id: deployment.active_revision_id,
    source_config: { custom_url: deployment.source_config.custom_url },
  });

  const opensAt = performance.now();
  await gate.open();
  const last = await ended(again, deployment.id, third, MOVES_ON_MS);
  const movesOnMs = Math.round(performance.now() - opensAt);
  process.stdout.write(
    `${kill} at ${row.status}: up_ms=${upMs} serves_again_ms=${servesMs} third_deployed_ms=${movesOnMs}\n`,
  );
  expect(last).toMatchObject({ status: 'DEPLOYED' });
  await serves(deployment, next);
  const fate = await revisionOf(again, deployment.id, second);
  if (row.reason !== undefined) expect(fate.status_message).toMatch(row.reason);
  left = {
    program: again,
    repository,
    deployment: await deploymentOf(again, deployment.id),
    version: next,
  };
  return fate.status;
}

/** Waits until the deployment's stable address, as it was before the kill, answers with this version. */
async function serves(deployment: ShownDeployment, version: string): Promise<void> {
  const isServed = async () => (await helloFrom(deployment).catch(() => undefined))?.version === version;
  await until(isServed, { timeoutMs: SERVES_AGAIN_MS, what: `${version} to be served` });
}
