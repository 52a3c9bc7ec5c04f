import { isDeepStrictEqual } from 'node:util';
import { deploymentOf } from '../support/programs/program.ts';
import type { Units } from '../support/table/consumed.ts';
import { hearAlarm } from './alarm.ts';
import { type Counted, countOf, unitsOf } from './counts.ts';
import {
  buildsOf,
  deployFolder,
  deployRepository,
  exampleIn,
  expectVersion,
  keptBy,
  makeDeployment,
  redeploy,
  remove,
  untilServes,
} from './deployments.ts';
import { type Api, type Entered, type Environment, enter, listen, reach } from './environment.ts';
import { useFargate } from './fargate/verification.ts';
import type { Compute } from './options.ts';
import type { Report } from './report.ts';
import { refusedByThrottle } from './throttle.ts';

export type Repository = { url: string; ref: string };

/** What the steps share. `counted` grows as they go on, for who prints it when one has failed. */
export type Run = {
  environment: Environment;
  report: Report;
  repository: Repository | undefined;
  compute: Compute | undefined;
  counted: Counted[];
  /** What the table has consumed. */
  units?: Units;
  tableName?: string;
};

/** Uses a new environment as its users would. Throws at the first step that fails. */
export async function verify(run: Run): Promise<void> {
  const { environment, report } = run;
  const { cdk } = environment;
  await report.step('cdk synth', () => cdk.synth());
  await report.step('cdk bootstrap', () => cdk.bootstrap());
  const api = await report.step('cdk deploy --all', async () => reach(await cdk.deploySynthesised()));
  run.tableName = api.tableName;
  try {
    if (run.compute === 'fargate') await onFargate(run, api);
    else await onThisMachine(run, api);
  } finally {
    await api.close();
  }
}

async function onFargate(run: Run, api: Api): Promise<void> {
  run.report.notSee(
    'that what was kept works on beside an application made anew: without --compute it is seen',
  );
  await useFargate(run, api, (slipway) => isWatched(run, slipway));
  await count(run);
  await countUnits(run, api.tableName);
}

async function onThisMachine(run: Run, api: Api): Promise<void> {
  const { environment, report } = run;
  const slipway = await report.step('first keys, a listener here', () => enter(environment, api));
  const listener = await listen(environment, slipway);
  try {
    const id = await deploySome(run, slipway);
    await isWatched(run, slipway);
    await count(run);
    await isMadeAnew(run, slipway, id, listener);
  } finally {
    await listener.stop();
  }
}

/** Tarballs, a way back, and a repository. Gives the deployment that serves at the end. */
async function deploySome({ environment, report, repository }: Run, slipway: Entered): Promise<string> {
  const id = await makeDeployment(slipway, 'hello');
  await report.step('build a tarball and run it here', async () => {
    await deployFolder(slipway, id, await exampleIn(environment, 'v1'));
    await expectVersion(slipway, id, 'v1');
  });
  const { active_revision_id: first } = await deploymentOf(slipway, id);
  if (first === null) throw new Error('The deployment serves, and has no active revision');
  await report.step('change it', async () => {
    await deployFolder(slipway, id, await exampleIn(environment, 'v2'));
    await expectVersion(slipway, id, 'v2');
  });
  await report.step('roll back, without a build', async () => {
    const builds = await buildsOf(environment);
    await redeploy(slipway, id, first);
    await expectVersion(slipway, id, 'v1');
    const more = (await buildsOf(environment)) - builds;
    if (more !== 0) throw new Error(`The way back took ${more} builds`);
  });
  if (repository === undefined) report.notSee('a build of a git repository: none was given with --repo');
  else await report.step(`build ${repository.url}`, () => deployRepository(slipway, repository));
  return id;
}

async function isWatched({ environment, report }: Run, slipway: Pick<Entered, 'baseUrl'>): Promise<void> {
  const { account, name } = environment;
  await report.step('an alarm reaches a queue', () => hearAlarm(account, name));
  report.notSee('that the metrics of AWS set an alarm off: its state was set by hand');
  if (account.isEmulated) report.notSee('throttling: an emulator lets everything through');
  else
    await report.step(
      'too many requests are refused',
      async () => void (await refusedByThrottle(slipway.baseUrl)),
    );
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

/** Before it goes with its stack. What was counted before is not counted again. */
export async function count({ environment, counted }: Run): Promise<void> {
  const since = counted.reduce((newest, { at }) => Math.max(newest, at + 1), 0);
  counted.push(...(await countOf(environment.account, environment.name, since)));
}

async function countUnits(run: Run, tableName: string): Promise<void> {
  const { environment, report } = run;
  const units = await unitsOf(environment.account, tableName, [report.startedAt, Date.now()]);
  if (units.writes > 0) run.units = units;
  else report.notSee('what the table consumed: CloudWatch has no figures of it');
}
