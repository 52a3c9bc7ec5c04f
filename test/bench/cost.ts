import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alarmMetrics } from './alarm-metrics.ts';
import type { Counts } from './counts.ts';
import { prices } from './prices.ts';
import { printTable } from './table.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** How Slipway is used, as the model has it. */
const use = {
  /** A client waits so long for a revision, asks for it every second and for its log every other. */
  waitSeconds: 60,
  logEverySeconds: 2,
  /** CloudWatch hands lines of a build on about so often while it writes. */
  ingestions: 12,
  /**
   * Requests of a listener for one task beside claims: heartbeats (20 s), its own log lines, the end, health,
   * what should run.
   */
  heartbeats: 3,
  taskLogRequests: 5,
  ends: 1,
  reports: 2,
  /** After work a listener asks every second, a few times. */
  claims: 5,
  /** Events of one build that matter. */
  buildEvents: 2,
};

/**
 * What a call is billed for, in milliseconds at 512 MB: a few round trips to DynamoDB of 3 to 5 ms each, our
 * own work, and a start of 300 ms once in some fifty calls. The steps of a revision also call KMS, S3,
 * CodeBuild or a git host.
 */
const billedMilliseconds = { request: 25, engine: 80, step: 250, sweep: 100 };
const MEMORY_GB = 0.5;
/** Lambda's own three lines of a call; a line of ours; a line of the API's access log. */
const logBytes = { call: 400, line: 350, access: 220 };

const MONTH_SECONDS = 730 * 3600;
/** How often a listener asks while nothing happens: as planned after an idle hour, and at the normal pace. */
const IDLE_POLL_SECONDS = [15, 5];
/** How often it says what runs, and asks what should. */
const REPORT_SECONDS = 300;
/** `noteSeen` writes once in so many seconds. */
const SEEN_SECONDS = 20;

const PER_THOUSAND_REVISIONS_MAX = 1.3;
const IDLE_MONTH_MAX = 4;

type Line = [what: string, dollars: number];
type Call = { units: { reads: number; writes: number }; milliseconds: number; lines?: number };

const unitsCost = ({ reads, writes }: Call['units']): number =>
  reads * prices.readUnit + writes * prices.writeUnit;
const functionCost = (milliseconds: number): number =>
  prices.functionRequest + (milliseconds / 1000) * MEMORY_GB * prices.functionGbSecond;
const logCost = (bytes: number): number => (bytes / 1e9) * prices.logGb;

/** One call of a function, by the parts of its price. */
function callCost({ units, milliseconds, lines = 0 }: Call): number {
  return functionCost(milliseconds) + unitsCost(units) + logCost(logBytes.call + lines * logBytes.line);
}

/** A request through the API. */
const requestCost = (units: Call['units'], lines = 0): number =>
  prices.apiRequest +
  logCost(logBytes.access) +
  callCost({ units, milliseconds: billedMilliseconds.request, lines });

const none = { reads: 0, writes: 0 };
/** So many revisions share a last look that was measured. */
const LAST_LOOKS = 2;
const total = (lines: Line[]): number => lines.reduce((sum, [, dollars]) => sum + dollars, 0);

/** One built revision, as lines. */
export function revisionLines(counts: Counts): Line[] {
  const polls = use.waitSeconds;
  const logPolls = use.waitSeconds / use.logEverySeconds;
  /** Requests whose units are within those of the revision, but for their keys. */
  const within = 1 + 1 + use.heartbeats + use.ends;
  const shipping = { reads: counts.ingest.reads + counts.key.reads, writes: counts.ingest.writes };
  return [
    [`${counts.transitions} state transitions`, counts.transitions * prices.transition],
    [`${polls} polls of the revision`, polls * requestCost(counts.getRevision)],
    [`${logPolls} polls of the build log`, logPolls * requestCost(counts.buildLogs)],
    [`${within} requests that move it`, within * requestCost(counts.key, 1)],
    ['what they, the engine and the states read and write', unitsCost(counts.revision)],
    ["sweep's last look at it, an hour after its end", unitsCost(counts.lastLook) / LAST_LOOKS],
    [
      `${counts.tasks} steps`,
      counts.tasks * callCost({ units: none, milliseconds: billedMilliseconds.step, lines: 1 }),
    ],
    [
      `${counts.heard} calls of dispatch, ${use.buildEvents} build events`,
      (counts.heard + use.buildEvents) *
        callCost({ units: none, milliseconds: billedMilliseconds.engine, lines: 1 }),
    ],
    [
      `${counts.followed} calls of events, ${counts.told} events`,
      counts.followed * callCost({ units: none, milliseconds: billedMilliseconds.engine }) +
        counts.told * prices.event,
    ],
    [
      `${use.ingestions} batches of build log`,
      use.ingestions * callCost({ units: counts.ingest, milliseconds: billedMilliseconds.engine }),
    ],
    [
      `${use.taskLogRequests + use.claims + use.reports} requests of the listener beside`,
      use.taskLogRequests * requestCost(shipping) +
        use.claims * requestCost(counts.claim) +
        use.reports * requestCost(counts.status),
    ],
    ['log of the build, 100 KB', logCost(100_000)],
    // The job and its artifact are written and read once or twice, artifacts are listed once, which costs
    // what writing does; each log batch and each secret asks KMS.
    ['S3 and KMS requests', 4 * prices.put + 4 * prices.get + (use.ingestions + 6) * prices.keyRequest],
  ];
}

/** One idle listener for a month, asking this often. */
export function listenerMonth(counts: Counts, pollSeconds: number): number {
  const claims = MONTH_SECONDS / pollSeconds;
  const noting = Math.min(claims, MONTH_SECONDS / Math.max(pollSeconds, SEEN_SECONDS));
  const reports = MONTH_SECONDS / REPORT_SECONDS;
  return (
    noting * requestCost(counts.claimNoting) +
    (claims - noting) * requestCost(counts.claim) +
    reports * (requestCost(counts.status) + requestCost(counts.desired))
  );
}

/** What a month costs in which nothing happens, without listeners. */
export function idleLines(counts: Counts, watched: number): Line[] {
  const sweeps = MONTH_SECONDS / 60;
  return [
    ['KMS key', prices.keyMonth],
    [`alarms, ${watched} metrics`, watched * prices.alarmMetricMonth],
    [
      `sweep, ${sweeps} times`,
      sweeps * callCost({ units: counts.sweep, milliseconds: billedMilliseconds.sweep }),
    ],
    ['table and its recovery, 0.1 GB', 0.1 * (prices.tableGbMonth + prices.recoveryGbMonth)],
    ['bucket, 1 GB', prices.bucketGbMonth],
  ];
}

const dollars = (value: number): string => value.toFixed(value < 0.1 ? 4 : 2);
const verdict = (value: number, max: number): string =>
  `at most ${max.toFixed(2)}: ${value <= max ? 'met' : 'NOT MET'}`;

/** Prints what Slipway costs on AWS, from counts that are measured now and the prices in prices.ts. */
export async function cost(): Promise<void> {
  const counts = await measure();
  const built = revisionLines(counts).map(([what, each]): Line => [what, each * 1000]);
  printTable(
    `1,000 built revisions without CodeBuild, $ (${verdict(total(built), PER_THOUSAND_REVISIONS_MAX)})`,
    ['what, each', '$ per 1,000'],
    [...built, ['together', total(built)] as Line].map(([what, value]) => [what, dollars(value)]),
  );
  const { writes, reads } = counts.revision;
  console.log(`  measured: ${writes} write and ${reads} read units a revision\n`);
  printTable(
    'A million requests, $',
    ['request', '$'],
    [
      ['GET deployment', dollars(1e6 * requestCost(counts.getDeployment))],
      ['GET revision', dollars(1e6 * requestCost(counts.getRevision))],
    ],
  );
  const idle = idleLines(counts, alarmMetrics());
  const paces = IDLE_POLL_SECONDS.map((seconds) => ({ seconds, each: listenerMonth(counts, seconds) }));
  const together = ({ seconds, each }: (typeof paces)[number]): string[][] =>
    [1, 10, 100].map((listeners) => {
      const sum = total(idle) + listeners * each;
      const judged = listeners === 1 ? ` (${verdict(sum, IDLE_MONTH_MAX)})` : '';
      return [`together, ${listeners} asking every ${seconds} s${judged}`, dollars(sum)];
    });
  printTable(
    'An idle month, $',
    ['what', '$'],
    [
      ...idle.map(([what, value]) => [what, dollars(value)]),
      ...paces.map(({ seconds, each }) => [`a listener that asks every ${seconds} s`, dollars(each)]),
      ...paces.flatMap(together),
      ['not included: a dashboard beyond the first three of an account', dollars(prices.dashboardMonth)],
      ['not included: a minute of a build', dollars(prices.buildMinute)],
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
