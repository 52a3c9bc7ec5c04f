import type { Installation } from '../support/programs/program.ts';
import type { Units } from '../support/table/consumed.ts';
import { hearAlarm } from './alarm.ts';
import { type Counted, countOf, unitsOf } from './counts.ts';
import { deployRepository } from './deployments.ts';
import type { Api, Environment } from './environment.ts';
import type { Secret } from './langgraph.ts';
import type { Compute } from './options.ts';
import type { Report } from './report.ts';
import type { StreamWish } from './switch.ts';
import { refusedByThrottle } from './throttle.ts';

export type Repository = { url: string; ref: string };

/** What the steps share. `counted` grows as they go on, for who prints it when one has failed. */
export type Run = {
  environment: Environment;
  report: Report;
  repository: Repository | undefined;
  compute: Compute | undefined;
  /** Secrets of agent projects. */
  secrets: Secret[];
  stream: StreamWish;
  counted: Counted[];
  /** What the table has consumed. */
  units?: Units;
  tableName?: string;
  /** The environment that an earlier release is deployed to, once that has begun. */
  upgraded?: Environment;
};

/** What operators and strangers see of an installation. */
export async function isWatched(
  { environment, report }: Run,
  { baseUrl }: Pick<Api, 'baseUrl'>,
): Promise<void> {
  const { account, name } = environment;
  await report.step('an alarm reaches a queue', () => hearAlarm(account, name));
  report.notSee('that the metrics of AWS set an alarm off: its state was set by hand');
  if (account.isEmulated) report.notSee('throttling: an emulator lets everything through');
  else
    await report.step('too many requests are refused', async () => void (await refusedByThrottle(baseUrl)));
}

/** Builds the repository that was given, if any. `placing`: where its deployment runs, and with what. */
export async function useRepository(
  { report, repository }: Run,
  slipway: Installation,
  placing: Parameters<typeof deployRepository>[2],
): Promise<void> {
  if (repository === undefined) {
    report.notSee('a build of a git repository, and of its submodules: none was given with --repo');
    return;
  }
  const { hasSubmodules } = await report.step(`build ${repository.url}`, () =>
    deployRepository(slipway, repository, placing),
  );
  if (!hasSubmodules)
    report.notSee('a repository with a submodule: that of --repo has none, or nothing was built');
}

/** Before it goes with its stack. What was counted before is not counted again. */
export async function count({ environment, counted }: Run, of: Environment = environment): Promise<void> {
  const since = counted.reduce((newest, { at }) => Math.max(newest, at + 1), 0);
  counted.push(...(await countOf(of.account, of.name, since)));
}

export async function countUnits(run: Run, tableName: string): Promise<void> {
  const { environment, report } = run;
  const units = await unitsOf(environment.account, tableName, [report.startedAt, Date.now()]);
  if (units.writes > 0) run.units = units;
  else report.notSee('what the table consumed: CloudWatch has no figures of it');
}
