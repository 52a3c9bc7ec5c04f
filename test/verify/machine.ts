import { isDeepStrictEqual } from 'node:util';
import { deploymentOf } from '../support/programs/program.ts';
import { buildForArm } from './arm.ts';
import {
  addressOf,
  buildsOf,
  deployFolder,
  expectVersion,
  keptBy,
  makeDeployment,
  redeploy,
  remove,
  serverIn,
  untilServes,
} from './deployments.ts';
import { type Api, type Entered, enter, listen, reach } from './environment.ts';
import { useProjects } from './langgraph.ts';
import { count, countUnits, isWatched, type Run, useRepository } from './run.ts';
import { streamAcrossSwitch } from './switch.ts';

/** A stream has so long (seconds) to end after the time that it takes. */
const DRAIN_MORE_SECONDS = 60;

/** Uses an installation whose agents this machine runs. Throws at the first step that fails. */
export async function useMachine(run: Run, api: Api): Promise<void> {
  const { environment, report } = run;
  const slipway = await report.step('first keys, a listener here', () => enter(environment, api));
  const listener = await listen(environment, slipway);
  try {
    const id = await deploySome(run, slipway);
    await deployMore(run, { ...slipway, tableName: api.tableName });
    await isWatched(run, slipway);
    await count(run);
    await isMadeAnew(run, slipway, id, listener);
  } finally {
    await listener.stop();
  }
}

/** Tarballs, and a way back under a stream. Gives the deployment that serves at the end. */
async function deploySome({ environment, report, stream }: Run, slipway: Entered): Promise<string> {
  const source_config = { drain_seconds: stream.seconds + DRAIN_MORE_SECONDS };
  const id = await makeDeployment(slipway, 'hello', { source_config });
  await report.step('build a tarball and run it here', async () => {
    await deployFolder(slipway, id, await serverIn(environment, 'v1'));
    await expectVersion(slipway, id, 'v1');
  });
  const { active_revision_id: first } = await deploymentOf(slipway, id);
  if (first === null) throw new Error('The deployment serves, and has no active revision');
  await report.step('change it', async () => {
    await deployFolder(slipway, id, await serverIn(environment, 'v2'));
    await expectVersion(slipway, id, 'v2');
  });
  await report.step(`roll back, without a build, under a stream of ${stream.seconds} s`, async () => {
    const builds = await buildsOf(environment);
    const goBack = async () => {
      await redeploy(slipway, id, first);
      await expectVersion(slipway, id, 'v1');
    };
    const { requests } = await streamAcrossSwitch(fetch, await addressOf(slipway, id), stream, goBack);
    report.remark(`${requests} requests while one revision replaced another: 0 failed`);
    const more = (await buildsOf(environment)) - builds;
    if (more !== 0) throw new Error(`The way back took ${more} builds`);
  });
  return id;
}

/** Sources of other kinds, and a platform that this machine is not. */
async function deployMore(run: Run, slipway: Entered & { tableName: string }): Promise<void> {
  const { environment, report, secrets } = run;
  const source_config = { listener_id: slipway.listenerId };
  await useProjects(report, slipway, { reach: fetch, source_config, secrets });
  await useRepository(run, slipway, { reach: fetch, source_config });
  await report.step('build a tarball for linux/arm64', () => buildForArm(environment, slipway));
}

/** The application is destroyed and deployed again; what is kept works on. */
async function isMadeAnew(
  run: Run,
  slipway: Entered,
  id: string,
  before: { stop(): Promise<void> },
): Promise<void> {
  const { environment, report } = run;
  const kept = await keptBy(slipway);
  await before.stop();
  await report.step('cdk destroy, of the application', () => environment.cdk.destroyApplication());
  const api = await report.step('cdk deploy, on the kept data', async () =>
    reach(await environment.cdk.deploy()),
  );
  const again = { ...slipway, baseUrl: api.baseUrl };
  const listener = await listen(environment, again);
  try {
    await report.step('what was kept works on', async () => {
      const found = await keptBy(again);
      if (!isDeepStrictEqual(found, kept))
        throw new Error(`Kept was ${JSON.stringify(found)}, not ${JSON.stringify(kept)}`);
      await untilServes(again, id, 'v1');
      const { active_revision_id: active } = await deploymentOf(again, id);
      await redeploy(again, id, active ?? '');
    });
    await report.step('delete the deployment', () => remove(again, id));
    await count(run);
    await countUnits(run, api.tableName);
  } finally {
    await listener.stop();
    await api.close();
  }
}
