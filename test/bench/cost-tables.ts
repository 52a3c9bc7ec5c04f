import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { allAlarms } from '../support/aws/alarms.ts';
import {
  eventLines,
  idleLines,
  installationLines,
  type Kind,
  listenerMonth,
  monthRows,
  resourceRequest,
  revisionLines,
  tenant,
  webhookMonth,
} from './cost.ts';
import type { Counts } from './counts.ts';
import { prices } from './prices.ts';
import { free } from './resource-costs.ts';
import { rungLines } from './rung-listener.ts';
import { printTable } from './table.ts';
import { dollarsOf, keptLogs, type Line, sum, times, total, type Usage, withoutTransfer } from './usage.ts';

/** How many metrics the alarms look at: an alarm on an expression is charged for each metric in it. */
const alarmMetrics = (): number =>
  allAlarms()
    .map(({ metric }) => (metric instanceof MathExpression ? Object.keys(metric.usingMetrics).length : 1))
    .reduce((all, count) => all + count, 0);

const root = fileURLToPath(new URL('../../', import.meta.url));

/** How often a listener asks while nothing happens: as planned after an idle hour, and at the normal pace. */
const IDLE_POLL_SECONDS = [15, 5];
const MANY_TENANTS = 10_000;

/** Of what a revision takes without CodeBuild, stores and transfer, and of an idle month with one listener. */
const PER_THOUSAND_REVISIONS_MAX = 1.3;
const IDLE_MONTH_MAX = 4;
const RUNG_MONTH_MAX = 0.12;

/** The pace of one that a doorbell rings. */
const RUNG = 300;
const paceOf = (seconds: number): string => (seconds === RUNG ? 'rung' : `asking every ${seconds} s`);

const dollars = (value: number): string => value.toFixed(value > 0 && value < 0.1 ? 4 : 2);
const verdict = (value: number, max: number): string =>
  `at most ${max.toFixed(2)}: ${value <= max ? 'met' : 'NOT MET'}`;

/** Prints what Slipway costs on AWS, from counts that are measured now and the prices in prices.ts. */
export async function cost(): Promise<void> {
  const counts = await measure();
  printRevisions(counts);
  printRequests(counts);
  printEvents(counts);
  printIdle(counts);
  const { listeners, deployments, revisions, otherRequests } = tenant;
  printMonth(
    counts,
    1,
    `A month of one tenant, $: ${listeners} listener outside of AWS, ${deployments} deployments, ${revisions} built revisions, ${otherRequests.toLocaleString('en-US')} other requests`,
  );
  printMonth(counts, MANY_TENANTS, `A month of ${MANY_TENANTS.toLocaleString('en-US')} such tenants, $`);
}

function printRevisions(counts: Counts): void {
  const built = revisionLines(counts).map(([what, each]): [string, number] => [
    what,
    dollarsOf(withoutTransfer(times(1000, each))),
  ]);
  const together = built.reduce((all, [, value]) => all + value, 0);
  printTable(
    `1,000 built revisions without CodeBuild, storage and transfer, $ (${verdict(together, PER_THOUSAND_REVISIONS_MAX)})`,
    ['what, each', '$ per 1,000'],
    [...built, ['together', together] as const].map(([what, value]) => [what, dollars(value)]),
  );
  const { writes, reads } = counts.revision;
  const kilobytes = (counts.keptBytes / 1000).toFixed(0);
  console.log(
    `  measured: ${writes} write and ${reads} read units a revision; it leaves ${kilobytes} KB in the table\n`,
  );
}

function printRequests(counts: Counts): void {
  const million = (units: Counts['key']) => dollars(dollarsOf(times(1e6, resourceRequest(units))));
  printTable(
    'A million requests, their answers of 3 KB included, $',
    ['request', '$'],
    [
      ['GET deployment', million(counts.getDeployment)],
      ['GET revision', million(counts.getRevision)],
    ],
  );
}

function printEvents(counts: Counts): void {
  const lines = eventLines(counts).map(([what, each]) => [what, dollars(dollarsOf(times(1000, each)))]);
  printTable('1,000 events, $', ['what, each', '$ per 1,000'], lines);
}

function printIdle(counts: Counts): void {
  const idle = idleLines(counts, alarmMetrics());
  const paces = IDLE_POLL_SECONDS.map((seconds) => {
    const asking = listenerMonth(counts, seconds);
    return { seconds, each: dollarsOf(sum(asking, keptLogs(asking))) };
  });
  const rung = rungLines(counts);
  const kept = (usage: Usage) => dollarsOf(sum(usage, keptLogs(usage)));
  paces.unshift({ seconds: RUNG, each: kept(total(rung)) });
  const empty = dollarsOf(total(idle));
  const together = ({ seconds, each }: (typeof paces)[number]): string[][] =>
    [1, 10, 100].map((listeners) => {
      const all = empty + listeners * each;
      const judged = listeners === 1 ? ` (${verdict(all, IDLE_MONTH_MAX)})` : '';
      return [`together, ${listeners} ${paceOf(seconds)}${judged}`, dollars(all)];
    });
  printTable(
    'An idle month, $',
    ['what', '$'],
    [
      ...idle.map(([what, usage]: Line) => [what, dollars(dollarsOf(usage))]),
      ...paces.map(({ seconds, each }) => [`a listener, ${paceOf(seconds)}`, dollars(each)]),
      ['a webhook', dollars(dollarsOf(webhookMonth(counts)))],
      ...paces.flatMap(together),
      ['not included: a dashboard beyond the first three of an account', dollars(prices.dashboardMonth)],
      [
        "not included: each of the key's first two yearly rotations, from then on",
        dollars(prices.keyRotationMonth),
      ],
    ],
  );
  const rungTogether = kept(total(rung));
  printTable(
    `A month of an idle listener that is rung, $ (${verdict(rungTogether, RUNG_MONTH_MAX)})`,
    ['what', 'one', MANY_TENANTS.toLocaleString('en-US')],
    [
      ...rung.map(([what, usage]): [string, number] => [what, kept(usage)]),
      ['together', rungTogether] as const,
      [
        'together, with 10 deployments that change nothing',
        kept(total(rungLines(counts, counts.knownReports))),
      ] as const,
    ].map(([what, value]) => [what, dollars(value), dollars(value * MANY_TENANTS)]),
  );
  console.log('Free in an idle month');
  for (const { what, why } of free) console.log(`  ${what}: ${why}`);
  console.log('');
}

/** The bill for listeners of each kind, row by row, and its sum. */
function printMonth(counts: Counts, tenants: number, title: string): void {
  const installation = total(installationLines(counts, alarmMetrics()));
  const rowsOf = (kind: Kind) =>
    monthRows(counts, installation, { kind, tenants, listener: total(rungLines(counts)) });
  const folders = rowsOf('folders');
  const images = rowsOf('images');
  const bill = (rows: [string, string, Usage][]): number =>
    dollarsOf(sum(...rows.map(([, , usage]) => usage)));
  const perTenant = (rows: [string, string, Usage][]): string => dollars(bill(rows) / tenants);
  printTable(
    title,
    ['what', 'of folders', '$', 'of images', '$'],
    [
      ...folders.map(([what, quantity, usage], index) => {
        const [, ofImages = '', usedByImages = {}] = images[index] ?? [];
        return [what, quantity, dollars(dollarsOf(usage)), ofImages, dollars(dollarsOf(usedByImages))];
      }),
      ['together', '', dollars(bill(folders)), '', dollars(bill(images))],
      ...(tenants === 1 ? [] : [['a tenant', '', perTenant(folders), '', perTenant(images)]]),
    ],
  );
}

/** Runs the test that counts, which writes down what it has counted. */
async function measure(): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  const file = join(folder, 'counts.json');
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--config', 'test/vitest.config.ts', 'test/workflow/costs.test.ts'];
    const env = { ...process.env, COUNTS_FILE: file };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`test/workflow/costs.test.ts failed:\n${stdout}${stderr}`);
    return JSON.parse(await readFile(file, 'utf8')) as Counts; // written by the test with this very type
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
