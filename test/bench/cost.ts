import { KEPT_IMAGES } from '../../lib/adapters/aws/registry.ts';
import { readSettings } from '../../lib/infra/settings.ts';
import { REPLACED_DAYS } from '../../lib/infra/storage.ts';
import type { Counts } from './counts.ts';
import { type ScheduleName, schedules } from './schedules.ts';
import { keptLogs, type Line, sum, times, total, type Usage, withoutTransfer } from './usage.ts';

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
  /**
   * Each function notes once an hour that a key was used: three of a client's for a revision and three of the
   * listener's. What the listener is handed out is noted too.
   */
  keyNotes: 6,
  handOuts: 1,
};

/**
 * A month of one tenant, after a year of such months. Sources are git repositories, and the listener runs
 * outside of AWS: what it fetches leaves AWS. Each revision is fetched once.
 */
export const tenant = { listeners: 1, deployments: 3, revisions: 20, otherRequests: 1_000 };

/** Listeners run either folders, from S3, or images, from ECR. */
export type Kind = 'folders' | 'images';
/** CodeBuild counts begun minutes; an image is built without a cache and pushed. */
const buildMinutes: Record<Kind, number> = { folders: 3, images: 5 };
const artifactGb = 0.03;
/** An image, compressed: layers that all of a repository share and a node keeps, and what a build adds. */
const imageGb = { shared: 0.4, own: 0.1 };
const BUILD_LOG_BYTES = 100_000;
/** The table keeps the log gzipped, for a month; what else it keeps of a revision, for the year. */
const LOG_IN_TABLE_BYTES = BUILD_LOG_BYTES / 4;
/** And its seven events in the feed, for a month too. */
const FEED_BYTES = 7 * 700;
const YEAR_MONTHS = 12;

/**
 * What a call is billed for, in milliseconds at 512 MB: a few round trips to DynamoDB of 3 to 5 ms each, our
 * own work, and a start of 300 ms once in some fifty calls. The steps of a revision also call KMS, S3,
 * CodeBuild or a git host. Those of schedules are in schedules.ts.
 */
export const billedMilliseconds = { request: 25, engine: 80, step: 250 };
const MEMORY_GB = 0.5;
/** Lambda's own three lines of a call; a line of ours; a line of the API's access log. */
const logBytes = { call: 400, line: 350, access: 220 };
/** An answer with its headers, without lines of logs, which are counted on their own. */
const ANSWER_BYTES = 1_000;
/** A deployment or a revision is larger. */
const RESOURCE_BYTES = 3_000;

export const MONTH_SECONDS = 730 * 3600;
const MONTH_DAYS = MONTH_SECONDS / 86_400;
/** How often it says what runs, and asks what should. */
export const REPORT_SECONDS = 300;
/** How often sweep looks whether it is still online. */
const PRESENCE_SECONDS = 300;
/** How often a webhook is looked at for which there is nothing. */
const WEBHOOK_LOOK_SECONDS = 3600;
/** What is sent to a webhook, with its headers. */
const MESSAGE_BYTES = 1_500;
/** `noteSeen` writes once in so many seconds. */
const SEEN_SECONDS = 20;
/** Once an hour each of the functions that a listener asks notes the use of its key. */
export const HOUR_SECONDS = 3600;
export const FUNCTIONS_ASKED = 3;

type Call = { units: Counts['key']; milliseconds: number; lines?: number };

const none = { reads: 0, writes: 0 };
const units = ({ reads, writes }: Call['units']): Usage => ({ readUnit: reads, writeUnit: writes });
const log = (bytes: number): Usage => ({ logGb: bytes / 1e9 });

/** One call of a function. */
export const call = ({ units: used, milliseconds, lines = 0 }: Call): Usage =>
  sum(
    { functionRequest: 1, functionGbSecond: (milliseconds / 1000) * MEMORY_GB },
    units(used),
    log(logBytes.call + lines * logBytes.line),
  );

/** A request through the API. */
export const request = (used: Call['units'], { lines = 0, answerBytes = ANSWER_BYTES } = {}): Usage =>
  sum(
    { apiRequest: 1, transferGb: answerBytes / 1e9 },
    log(logBytes.access),
    call({ units: used, milliseconds: billedMilliseconds.request, lines }),
  );

export const resourceRequest = (used: Call['units']): Usage => request(used, { answerBytes: RESOURCE_BYTES });

/** A line that an endpoint logs, and the function that writes it down. */
export const note = (used: Call['units']): Usage =>
  sum(log(logBytes.line), call({ units: used, milliseconds: billedMilliseconds.request }));

/** So many revisions share a last look that was measured. */
const LAST_LOOKS = 2;

/** One built revision, as lines; without its build, what it leaves in stores, and its artifact's way out. */
export function revisionLines(counts: Counts): Line[] {
  const polls = use.waitSeconds;
  const logPolls = use.waitSeconds / use.logEverySeconds;
  /** Requests whose units are within those of the revision, but for their keys. */
  const within = 1 + 1 + use.heartbeats + use.ends;
  const shipping = { reads: counts.ingest.reads + counts.key.reads, writes: counts.ingest.writes };
  const engineCall = { units: none, milliseconds: billedMilliseconds.engine };
  return [
    [`${counts.transitions} state transitions`, { transition: counts.transitions }],
    [`${polls} polls of the revision`, times(polls, resourceRequest(counts.getRevision))],
    [
      `${logPolls} polls of the build log`,
      sum(times(logPolls, request(counts.buildLogs)), { transferGb: BUILD_LOG_BYTES / 1e9 }),
    ],
    [`${within} requests that move it`, times(within, request(counts.key, { lines: 1 }))],
    ['what they, the engine and the states read and write', units(counts.revision)],
    ["sweep's last look at it, an hour after its end", times(1 / LAST_LOOKS, units(counts.lastLook))],
    [
      `${counts.tasks} steps`,
      times(counts.tasks, call({ units: none, milliseconds: billedMilliseconds.step, lines: 1 })),
    ],
    [
      `${counts.heard} calls of dispatch, ${use.buildEvents} build events`,
      times(counts.heard + use.buildEvents, call({ ...engineCall, lines: 1 })),
    ],
    [
      `${counts.followed} calls of events, ${counts.told} events`,
      sum(times(counts.followed, call(engineCall)), { event: counts.told }),
    ],
    [
      `${use.ingestions} batches of build log`,
      times(use.ingestions, call({ units: counts.ingest, milliseconds: billedMilliseconds.engine })),
    ],
    [
      `${use.taskLogRequests + use.claims + use.reports} requests of the listener beside`,
      sum(
        times(use.taskLogRequests, request(shipping)),
        times(use.claims, request(counts.claim)),
        times(use.reports, request(counts.status)),
      ),
    ],
    [
      `${use.keyNotes + use.handOuts} notes of keys used and secrets handed out`,
      sum(times(use.keyNotes, note(counts.keyUse)), times(use.handOuts, note(none))),
    ],
    ['log of the build, 100 KB', log(BUILD_LOG_BYTES)],
    // The job and its artifact are written and read once or twice, artifacts are listed once, which costs
    // what writing does; each log batch and each secret asks KMS.
    ['S3 and KMS requests', { put: 4, get: 4, keyRequest: use.ingestions + 6 }],
  ];
}

/** One idle listener for a month, asking this often. */
export function listenerMonth(counts: Counts, pollSeconds: number): Usage {
  const claims = MONTH_SECONDS / pollSeconds;
  const noting = Math.min(claims, MONTH_SECONDS / Math.max(pollSeconds, SEEN_SECONDS));
  const reports = MONTH_SECONDS / REPORT_SECONDS;
  return sum(
    times(noting, request(counts.claimNoting)),
    times(claims - noting, request(counts.claim)),
    times(reports, sum(request(counts.status), request(counts.desired))),
    times((MONTH_SECONDS / HOUR_SECONDS) * FUNCTIONS_ASKED, note(counts.keyUse)),
    times(MONTH_SECONDS / PRESENCE_SECONDS, beyond(counts.presence, counts.schedules.sweep)),
  );
}

/** What a sweep takes beyond one that finds nothing. */
export const beyond = (looking: Call['units'], idle: Call['units']): Usage =>
  units({ reads: looking.reads - idle.reads, writes: looking.writes - idle.writes });

/** One event of a deployment: what it takes to be told, and to be delivered where a tenant has a webhook. */
export const eventLines = (counts: Counts): Line[] => [
  ['numbered, stored in the feed, published to the bus', sum(units(counts.fed), { event: 1 })],
  [
    'delivered to a webhook, alone and at once',
    sum(
      call({ units: counts.delivered, milliseconds: billedMilliseconds.step }),
      // Its secret is opened.
      { keyRequest: 1, transferGb: MESSAGE_BYTES / 1e9 },
    ),
  ],
];

/** One webhook for a month in which nothing happens. */
export const webhookMonth = (counts: Counts): Usage =>
  times(
    MONTH_SECONDS / WEBHOOK_LOOK_SECONDS,
    call({ units: counts.webhookLook, milliseconds: billedMilliseconds.engine }),
  );

/** What an installation costs in a month without tenants. */
export function installationLines(counts: Counts, watched: number): Line[] {
  const names = Object.keys(schedules) as ScheduleName[]; // of this very object
  const scheduled = names.map((name): Line => {
    const { everySeconds, milliseconds } = schedules[name];
    const runs = MONTH_SECONDS / everySeconds;
    return [`${name}, ${runs} times`, times(runs, call({ units: counts.schedules[name], milliseconds }))];
  });
  return [
    ['KMS key, in its first year', { keyMonth: 1 }],
    [`alarms, ${watched} metrics`, { alarmMetricMonth: watched }],
    ...scheduled,
    ['logs of these, kept a month', keptLogs(total(scheduled))],
    ['code of functions and builder in the bucket of the CDK, 0.1 GB', { bucketGbMonth: 0.1 }],
  ];
}

/** The same in a month in which nothing happens, with something in the stores; without listeners. */
export const idleLines = (counts: Counts, watched: number): Line[] => [
  ...installationLines(counts, watched),
  ['table and its recovery, 0.1 GB', stored(0.1)],
  ['bucket, 1 GB', { bucketGbMonth: 1 }],
];

const stored = (gb: number): Usage => ({ tableGbMonth: gb, recoveryGbMonth: gb });

/** A row of the bill: how much of what, and what is used for it. */
export type Row = [what: string, quantity: string, usage: Usage];

const gb = (value: number): string => `${value.toLocaleString('en-US', { maximumSignificantDigits: 2 })} GB`;
const count = (value: number): string => value.toLocaleString('en-US');

/** The bill of a month: these are all its rows. `listener`: what a month of one takes. */
export function monthRows(
  counts: Counts,
  installation: Usage,
  { kind, tenants, listener }: { kind: Kind; tenants: number; listener: Usage },
): Row[] {
  const listeners = tenants * tenant.listeners;
  const revisions = tenants * tenant.revisions;
  const requests = tenants * tenant.otherRequests;
  const minutes = revisions * buildMinutes[kind];
  const asking = times(listeners, listener);
  const built = times(revisions, total(revisionLines(counts)));
  // They come alone, so that each notes the use of its key.
  const others = times(requests, sum(resourceRequest(counts.getRevision), note(counts.keyUse)));
  const calls = sum(asking, built, others);
  const tableGb = (revisions * (counts.keptBytes * YEAR_MONTHS + LOG_IN_TABLE_BYTES + FEED_BYTES)) / 1e9;
  const { artifacts, images, fetched } = files(kind, tenants);
  const answers = calls.transferGb ?? 0;
  return [
    ['an empty installation', '', installation],
    ['listeners that are rung', count(listeners), withoutTransfer(asking)],
    ['built revisions', count(revisions), withoutTransfer(built)],
    ['other requests', count(requests), withoutTransfer(others)],
    ['minutes of CodeBuild', count(minutes), { buildMinute: minutes }],
    ['table and its recovery', gb(tableGb), stored(tableGb)],
    ['S3: artifacts and their old versions', gb(artifacts), { bucketGbMonth: artifacts }],
    ['ECR: images', gb(images), { imageGbMonth: images }],
    ['CloudWatch Logs: a month of them', gb(calls.logGb ?? 0), keptLogs(calls)],
    ['transfer out: artifacts, images', gb(fetched), { transferGb: fetched }],
    ['transfer out: answers, logs', gb(answers), { transferGb: answers }],
  ];
}

/** What S3 and ECR hold, and what of it is fetched, in GB. */
function files(kind: Kind, tenants: number): { artifacts: number; images: number; fetched: number } {
  const deployments = tenants * tenant.deployments;
  const revisions = tenants * tenant.revisions;
  if (kind === 'images') {
    const images = deployments * (imageGb.shared + KEPT_IMAGES * imageGb.own);
    return { artifacts: 0, images, fetched: revisions * imageGb.own };
  }
  // Each new one puts an older one out, which stays as an old version for a while.
  const { keptArtifacts } = readSettings(() => undefined);
  const old = revisions * (REPLACED_DAYS / MONTH_DAYS);
  const artifacts = (deployments * keptArtifacts + old) * artifactGb;
  return { artifacts, images: 0, fetched: revisions * artifactGb };
}
