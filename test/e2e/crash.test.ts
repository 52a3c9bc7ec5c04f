import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { stillRunning } from '../support/programs/processes.ts';
import {
  deploymentOf,
  ended,
  endProgram,
  familyOf,
  helloFrom,
  type Program,
  revisionOf,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { Scene, type Standing, type Status, stages } from './crash-scene.ts';

/** A limit for a very slow machine. Nothing that sweep or another lease would mend hides behind it. */
const SLOW_MS = 240_000;

// Sweep looks once, when the program starts.
const environment = { SLIPWAY_DRAIN_SECONDS: '1', SLIPWAY_SWEEP_SECONDS: '3600' };

/** Waits until the deployment's stable address, as it was before the kill, answers with this version. */
async function serves(deployment: ShownDeployment, version: string): Promise<void> {
  const isServed = async () => (await helloFrom(deployment).catch(() => undefined))?.version === version;
  await until(isServed, {
    what: `${version} to be served by ${deployment.source_config.custom_url}`,
  });
}

/** Both happen to the same deployments: what is killed second is a program that has come back from a kill. */
const kills = [
  {
    what: "the program's own process alone, while its children live on",
    kill: 'killAlone',
    versions: { served: 'v1', next: 'v2', last: 'v3' },
  },
  {
    what: 'the whole process group of the program',
    kill: 'killGroup',
    versions: { served: 'v3', next: 'v4', last: 'v5' },
  },
] as const;

let folder: string;
let program: Program;
let scene: Scene;

beforeAll(async () => {
  folder = await newFolder();
  program = await startProgram({ environment });
  scene = new Scene(program, folder);
  await scene.serve(kills[0].versions.served);
}, 600_000);
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
  await removeFolder(folder);
});

/**
 * Kills the program while revisions stand in every status, starts it again on the same data at once, and
 * follows what becomes of everything: what has been deployed serves again, then the interrupted revisions
 * have ended, and the last ones are deployed.
 */
describe.each(kills)('kill -9 of $what', ({ kill, versions }) => {
  let standing: Map<Status, Standing>;

  beforeAll(async () => {
    const gate = join(folder, `gate-${kill}`);
    standing = await scene.set(versions, gate);
    const before = await familyOf(program);
    for (const [status, { deployment, next, last }] of standing) {
      const now = (await revisionOf(program, deployment.id, next)).status;
      // Its listener stands still since, and is not heard of: after the minute of its lease nobody knows.
      expect(status === 'DEPLOYING' ? [status, 'UNKNOWN'] : [status]).toContain(now);
      expect(await revisionOf(program, deployment.id, last)).toMatchObject({ status: 'QUEUED' });
    }
    await program[kill]();
    const startedAt = performance.now();
    const sinceStart = () => Math.round(performance.now() - startedAt);
    program = await startProgram({ environment, dataFolder: program.dataFolder });
    scene.program = program;
    const upMs = sinceStart();
    for (const { deployment } of standing.values()) await serves(deployment, versions.served);
    const servesMs = sinceStart();
    await until(() => stillRunning(before).length === 0, {
      what: 'everything of the earlier run to be gone',
    });
    for (const { deployment, same } of standing.values()) {
      const { active_revision_id: active, source_config: config } = await deploymentOf(
        program,
        deployment.id,
      );
      expect([deployment.active_revision_id, same]).toContain(active);
      expect(config.custom_url).toBe(deployment.source_config.custom_url);
    }
    await writeFile(gate, '');
    process.stdout.write(`${kill}: up_ms=${upMs} serve_again_ms=${servesMs}\n`);
  }, 600_000);

  it.each(stages)('deploys what was %s, and then what was queued behind it', async (status) => {
    const one = standing.get(status);
    if (one === undefined) throw new Error(status);
    const { deployment, next, last } = one;
    expect(await ended(program, deployment.id, last, SLOW_MS)).toMatchObject({ status: 'DEPLOYED' });
    await serves(deployment, versions.last);
    expect(await revisionOf(program, deployment.id, next)).toMatchObject({
      status: 'DEPLOYED',
      status_message: null,
    });
  });
});
