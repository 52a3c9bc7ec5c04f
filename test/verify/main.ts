import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '../support/run/progress.ts';
import { type Account, closeAccount, openAccount } from './account.ts';
import { clean } from './clean.ts';
import { newName, openEnvironment, reach } from './environment.ts';
import { fargateCost, useFargate } from './fargate/verification.ts';
import { useMachine } from './machine.ts';
import { OptionsError, readWish, secretsIn, USAGE, type Wish } from './options.ts';
import { Report } from './report.ts';
import { count, type Run } from './run.ts';
import { upgrade } from './upgrade.ts';

/** Uses a new environment as its users would. Throws at the first step that fails. */
async function verify(run: Run): Promise<void> {
  const { environment, report } = run;
  const { cdk } = environment;
  await report.step('cdk synth', () => cdk.synth());
  await report.step('cdk bootstrap', () => cdk.bootstrap());
  const api = await report.step('cdk deploy --all', async () => reach(await cdk.deploySynthesised()));
  run.tableName = api.tableName;
  try {
    if (run.compute === 'fargate') await useFargate(run, api);
    else await useMachine(run, api);
  } finally {
    await api.close();
  }
  await upgrade(run);
}

const HOUR_MS = 3_600_000;

const STAYS =
  'What stays: the stack CDKToolkit with the assets in its bucket, and the key, which KMS deletes after its waiting time, free of charge.';

/** Gives the exit code: 0, 1 when something failed or was left, 2 for wrong arguments. */
async function main(args: string[]): Promise<number> {
  const wish = understood(args);
  if (wish === undefined) return 2;
  if (wish.kind === 'help') {
    console.log(USAGE);
    return 0;
  }
  // Here its servers run that were built for Linux.
  if (wish.kind === 'verify' && wish.compute === undefined && process.platform !== 'linux') {
    console.error(`npm run verify:aws runs on Linux, not on ${process.platform}.`);
    return 1;
  }
  const account = await openAccount().catch((error: unknown) => {
    console.error(textOf(error));
    return undefined;
  });
  if (account === undefined) return 1;
  const folder = await mkdtemp(join(tmpdir(), 'slipway-verify-'));
  try {
    if (wish.kind === 'verify') return await verifyAndClean({ account, name: newName(), folder }, wish);
    await cleaned({ account, name: wish.environment, folder });
    console.log(STAYS);
    return 0;
  } finally {
    closeAccount(account);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function understood(args: string[]): Wish | undefined {
  try {
    return readWish(args);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return undefined;
  }
}

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Place = { account: Account; name: string; folder: string };

async function verifyAndClean(
  place: Place,
  { repository, compute, secretsFile, stream }: Extract<Wish, { kind: 'verify' }>,
): Promise<number> {
  const secrets = secretsFile === undefined ? [] : secretsIn(await readFile(secretsFile, 'utf8'));
  const { account, name, folder } = place;
  say(`Environment ${name} in account ${account.id}, ${account.region}`);
  say(`Should this be killed, npm run verify:aws -- --clean ${name} removes what it has made.`);
  const environment = openEnvironment(account, name, await made(join(folder, name)), compute);
  const run: Run = { environment, report: new Report(), repository, compute, secrets, stream, counted: [] };
  const { report } = run;
  if (account.isEmulated) {
    report.notSee('AWS itself: AWS_ENDPOINT_URL leads to an emulator');
    report.notSee('builds: an emulator makes none, and whoever runs it stands in for them');
  }
  try {
    await Promise.race([verify(run), untilAsked()]);
  } catch (error) {
    // A step that has failed has said so.
    if (report.failures.length === 0) report.fail(textOf(error));
    await count(run).catch(() => report.notSee('what the failed step cost: it could not be counted'));
  } finally {
    await environment.processes.close();
    await run.upgraded?.processes.close();
  }
  for (const each of [name, ...(run.upgraded === undefined ? [] : [run.upgraded.name])]) {
    const tableName = each === name ? run.tableName : undefined;
    const cleaning = report.step(`cdk destroy --all, of ${each}`, () =>
      cleaned({ ...place, name: each, folder: join(folder, each) }, tableName),
    );
    await cleaning.catch(() => say(`npm run verify:aws -- --clean ${each} tries that again.`));
  }
  if (compute !== undefined) report.remark(fargateCost((Date.now() - report.startedAt) / HOUR_MS));
  report.print(run.counted, run.units);
  console.log(STAYS);
  return report.failures.length > 0 ? 1 : 0;
}

/** With processes of its own, which no interrupt has ended. Throws when something is left. */
async function cleaned({ account, name, folder }: Place, tableName?: string): Promise<void> {
  const environment = openEnvironment(account, name, await made(folder));
  try {
    const left = await clean(environment, tableName);
    if (left.length > 0) throw new Error(`Left in the account: ${left.join(', ')}`);
  } finally {
    await environment.processes.close();
  }
}

/** Throws when a person ends the run; whoever asks twice is obeyed at once. */
async function untilAsked(): Promise<never> {
  const signal = await Promise.race(
    ['SIGINT', 'SIGTERM', 'SIGHUP'].map(async (each) => once(process, each).then(() => each)),
  );
  throw new Error(`Ended by ${signal}`);
}

process.exit(await main(process.argv.slice(2)));
