import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { MinuteCounts } from '../../contract/deployments/counts.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { decodeCounts, encodeCounts } from '../../domain/metrics/encode.ts';
import { countedOf, merge, mergeAll } from '../../domain/metrics/merge.ts';
import type { Measured } from '../../domain/metrics/shown.ts';
import { HOUR_MILLISECONDS, hourBegins, minuteBegins, QUARTER_MINUTES } from '../../domain/metrics/times.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { absent, fewer, present, put, same, update } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { due } from '../../store/keys/index.ts';
import {
  hoursBetween,
  metricsHourKey,
  metricsTotalsKey,
  quarterKey,
  quartersBetween,
} from '../../store/keys/metrics.ts';
import type { Table } from '../../store/table.ts';
import { DUE } from './looks.ts';

// What was measured of deployments. Counts are texts (lib/domain/metrics/encode.ts), so that items stay
// small.

const DAY_SECONDS = 86_400;
/** Minutes are kept so long, then hours of them. */
export const QUARTER_DAYS = 30;
/** Thirteen months. */
export const HOUR_DAYS = 400;

/**
 * A quarter of an hour of a deployment, there only if something happened. `counts` by minute, revision and
 * instance of the listener: what comes again replaces what is there, so nothing counts twice.
 */
export const metricsQuarter = z.object({
  v: z.literal(1),
  entity: z.literal('metrics_quarter'),
  sk: z.string(),
  counts: z.record(z.string(), z.string()),
  ttl: z.number(),
});
type MetricsQuarter = z.infer<typeof metricsQuarter>;

/** An hour of it, by the numbers of revisions. Written once, when nothing of it can come any more. */
export const metricsHour = z.object({
  v: z.literal(1),
  entity: z.literal('metrics_hour'),
  sk: z.string(),
  revisions: z.record(z.string(), z.string()),
  ttl: z.number(),
});
type MetricsHour = z.infer<typeof metricsHour>;

/**
 * What was counted of a deployment up to the hour `rolled`, which is left out, by the numbers of revisions.
 * `quarter`: the last in which something happened. `due_at`: when the next hour is to be made of quarters.
 */
export const metricsTotals = z.object({
  v: z.literal(1),
  entity: z.literal('metrics_totals'),
  /** The deployment's id. */
  sk: z.string(),
  name: z.string(),
  quarter: z.int(),
  rolled: z.int().optional(),
  revisions: z.record(z.string(), z.string()).optional(),
  due_at: z.number().optional(),
  ttl: z.number(),
});
export type MetricsTotals = z.infer<typeof metricsTotals>;

/** So many revisions' totals are kept, those of the highest numbers. */
const TOTALS_MAX = 20;

const INSTANCE_HEX_DIGITS = 4;

/** `revision`: its number. */
export function slotOf(minute: number, revision: number, instanceId: string): string {
  const instance = createHash('sha256').update(instanceId).digest('hex').slice(0, INSTANCE_HEX_DIGITS);
  return `${(minute % QUARTER_MINUTES).toString(36)}_${revision.toString(36)}_${instance}`;
}

/** Far more than one listener has servers for: a quarter stays small whatever is sent. */
const SLOTS_MAX = 240;

/** Counts by their slots. */
export type Slots = Readonly<Record<string, MinuteCounts>>;

const encoded = (slots: Slots): Record<string, string> =>
  Object.fromEntries(Object.entries(slots).map(([slot, counts]) => [slot, encodeCounts(counts)]));

/** Adds to a quarter, or replaces what is there. Demands that it is there, and that it is not full. */
export function addToQuarter(ref: DeploymentRef, quarter: number, slots: Slots): Write {
  const set = Object.fromEntries(
    Object.entries(encoded(slots)).map(([slot, text]) => [`counts.${slot}`, text]),
  );
  return update(
    'metrics_quarter',
    quarterKey(ref, quarter),
    { set },
    present('pk'),
    fewer('counts', SLOTS_MAX),
  );
}

/** Begins a quarter. Demands that it is not there yet. */
export function beginQuarter(ref: DeploymentRef, quarter: number, slots: Slots): Write {
  const endsAt = minuteBegins((quarter + 1) * QUARTER_MINUTES) / 1000;
  const ttl = endsAt + QUARTER_DAYS * DAY_SECONDS;
  const set = { v: 1, entity: 'metrics_quarter', counts: encoded(slots), ttl };
  return update('metrics_quarter', quarterKey(ref, quarter), { set }, absent('pk'));
}

/** An hour of quarters, by the numbers of revisions. */
export function putHour(
  ref: DeploymentRef,
  hour: number,
  revisions: ReadonlyMap<number, MinuteCounts>,
): Write {
  const ttl = hourBegins(hour) / 1000 + HOUR_DAYS * DAY_SECONDS;
  const item = { v: 1, entity: 'metrics_hour', revisions: encodedByNumber(revisions), ttl };
  return put('metrics_hour', { ...metricsHourKey(ref, hour), ...item });
}

const encodedByNumber = (revisions: ReadonlyMap<number, MinuteCounts>): Record<string, string> =>
  Object.fromEntries([...revisions].map(([number, counts]) => [String(number), encodeCounts(counts)]));

const asRead = (before: MetricsTotals | undefined) => [
  same('quarter', before?.quarter),
  same('rolled', before?.rolled),
  same('due_at', before?.due_at),
];

const dueAt = (ref: DeploymentRef, at: number) => due(quarterKey(ref, 0).pk, at);

/**
 * Notes that something happened in a quarter, and has its hour made at `lookAt` (epoch milliseconds) unless
 * there is an earlier one to be made. Demands that the totals are as read.
 */
export function noteQuarter(
  ref: DeploymentRef,
  before: MetricsTotals | undefined,
  { name, quarter, lookAt }: { name: string; quarter: number; lookAt: number },
): Write {
  const ttl = Math.ceil(minuteBegins(quarter * QUARTER_MINUTES) / 1000) + HOUR_DAYS * DAY_SECONDS;
  const set = {
    ...{ v: 1, entity: 'metrics_totals', name, quarter, ttl },
    ...(before?.due_at === undefined && dueAt(ref, lookAt)),
  };
  return update('metrics_totals', metricsTotalsKey(ref), { set }, ...asRead(before));
}

/** The totals with what was counted in an hour, by the numbers of revisions. */
export function withHour(
  before: MetricsTotals,
  hour: number,
  revisions: ReadonlyMap<number, MinuteCounts>,
): MetricsTotals {
  const totals = totalsByRevision(before);
  for (const [number, counts] of revisions)
    totals.set(number, merge(totals.get(number) ?? {}, countedOf(counts), 'times'));
  const newest = [...totals].sort(([a], [b]) => b - a).slice(0, TOTALS_MAX);
  return { ...before, rolled: hour + 1, revisions: encodedByNumber(new Map(newest)) };
}

/**
 * Writes the totals with what an hour has added, and when the next look is due. Demands that they are as
 * read: what was added meanwhile would be forgotten.
 */
export function advanceTotals(ref: DeploymentRef, before: MetricsTotals, after: MetricsTotals): Write {
  const { rolled, revisions, due_at: lookAt } = after;
  return update(
    'metrics_totals',
    metricsTotalsKey(ref),
    {
      set: { rolled, revisions, ...(lookAt !== undefined && dueAt(ref, lookAt)) },
      ...(lookAt === undefined && { remove: [...DUE] }),
    },
    ...asRead(before),
  );
}

export const findTotals = (table: Table, ref: DeploymentRef): Promise<MetricsTotals | undefined> =>
  find(table, metricsTotalsKey(ref), metricsTotals);

/** Of all of a tenant's deployments of which anything was measured within thirteen months. */
export const totalsOf = (table: Table, tenantId: string): AsyncGenerator<MetricsTotals> =>
  queryAll(table, metricsTotals, {
    pk: metricsTotalsKey({ tenantId, deploymentId: '' }).pk,
    eventually: true,
  });

/** What the totals say of each revision, by its number. */
export const totalsByRevision = ({ revisions = {} }: MetricsTotals): Map<number, MinuteCounts> =>
  new Map(Object.entries(revisions).map(([number, text]) => [Number(number), decodeCounts(text)]));

/** From the first up to the second, both included. */
type Range = { from: number; to: number };

/**
 * The minutes of these quarters in the order of time, those of several instances as one. Strongly consistent
 * unless `eventually`, which costs half.
 */
export async function minutesIn(
  table: Table,
  ref: DeploymentRef,
  { from, to }: Range,
  { eventually }: { eventually?: true } = {},
): Promise<Measured[]> {
  if (from > to) return [];
  const query = { pk: quarterKey(ref, 0).pk, between: quartersBetween(from, to) };
  const items = await collected(
    queryAll(table, metricsQuarter, { ...query, ...(eventually && { eventually }) }),
  );
  return items.flatMap(minutesOf);
}

function minutesOf({ sk, counts }: MetricsQuarter): Measured[] {
  const first = Number(sk.slice('Q#'.length)) * QUARTER_MINUTES;
  const found = new Map<string, { minute: number; revision: number; all: MinuteCounts[] }>();
  for (const [slot, text] of Object.entries(counts)) {
    const [offset = '', number = ''] = slot.split('_');
    const name = `${offset}_${number}`;
    const known = found.get(name) ?? {
      minute: first + Number.parseInt(offset, 36),
      revision: Number.parseInt(number, 36),
      all: [],
    };
    known.all.push(decodeCounts(text));
    found.set(name, known);
  }
  return [...found.values()]
    .sort((a, b) => a.minute - b.minute || a.revision - b.revision)
    .map(({ minute, revision, all }) => ({
      at: minuteBegins(minute),
      revision,
      counts: mergeAll(all, 'instances') ?? {},
    }));
}

/** The hours that were made, in the order of time. Eventually consistent: they are made once. */
export async function hoursIn(table: Table, ref: DeploymentRef, { from, to }: Range): Promise<Measured[]> {
  if (from > to) return [];
  const query = { pk: quarterKey(ref, 0).pk, between: hoursBetween(from, to), eventually: true } as const;
  const items = await collected(queryAll(table, metricsHour, query));
  return items.flatMap(revisionsOf);
}

function revisionsOf({ sk, revisions }: MetricsHour): Measured[] {
  const at = Number(sk.slice('H#'.length)) * HOUR_MILLISECONDS;
  return Object.entries(revisions).map(([number, text]) => ({
    at,
    revision: Number(number),
    counts: decodeCounts(text),
  }));
}
