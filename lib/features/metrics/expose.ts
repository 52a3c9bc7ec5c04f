import type { MinuteCounts } from '../../contract/deployments/counts.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { type MetricsTotals, minutesIn, totalsByRevision, totalsOf } from '../../core/items/metrics.ts';
import { countedOf, merge } from '../../domain/metrics/merge.ts';
import type { Measured } from '../../domain/metrics/shown.ts';
import {
  HOUR_QUARTERS,
  MINUTE_MILLISECONDS,
  QUARTER_MINUTES,
  quarterAt,
} from '../../domain/metrics/times.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { familiesOf, type Shown } from './families.ts';
import type { Exposed } from './shape.ts';

type ExposeDeps = Pick<Deps, 'table' | 'clock'>;

/** Some sixty lines each, within what one answer may have. */
const REVISIONS_MAX = 200;
/** What told nothing for so long is not listed; it is again, and counts on, once it does. */
const SILENT_MILLISECONDS = QUARTER_MINUTES * MINUTE_MILLISECONDS;

/**
 * What was measured of each revision that told something within the last quarter of an hour, as Prometheus
 * reads it. Counters hold all that was counted since the deployment was measured first, and never fall: the
 * totals of hours that are over, and the minutes since. What runs on Fargate is not among it: to ask
 * CloudWatch for it costs money each time.
 */
export async function exposeMetrics(
  { table, clock }: ExposeDeps,
  _: unknown,
  caller: Caller,
): Promise<Exposed> {
  const now = clock.now();
  const all = await collected(totalsOf(table, caller.tenantId));
  const busy = newestOfName(all.filter(({ quarter }) => quarter >= quarterAt(now - SILENT_MILLISECONDS)));
  const shown = (
    await Promise.all(busy.map((totals) => shownOf(table, caller.tenantId, totals, now)))
  ).flat();
  const text = familiesOf(shown.slice(0, REVISIONS_MAX), Math.max(shown.length - REVISIONS_MAX, 0));
  return { contentType: 'text/plain; version=0.0.4', text };
}

/** One deployment of each name: another one had it that is deleted by now. */
function newestOfName(all: readonly MetricsTotals[]): MetricsTotals[] {
  const byName = new Map(
    all.toSorted((a, b) => (a.sk < b.sk ? -1 : 1)).map((totals) => [totals.name, totals]),
  );
  return [...byName.values()];
}

async function shownOf(
  table: Deps['table'],
  tenantId: string,
  totals: MetricsTotals,
  now: number,
): Promise<Shown[]> {
  const ref = { tenantId, deploymentId: totals.sk };
  // Strongly consistent: a counter must not fall because another copy of the table is a moment behind.
  // Not only up to the quarter that the totals name, which may be such a copy; clocks may be a little ahead.
  const open = { from: (totals.rolled ?? 0) * HOUR_QUARTERS, to: quarterAt(now) + 1 };
  const minutes = await minutesIn(table, ref, open);
  const before = totalsByRevision(totals);
  return [...Map.groupBy(minutes, ({ revision }) => revision)]
    .filter(([, own]) => (own.at(-1)?.at ?? 0) >= now - SILENT_MILLISECONDS - MINUTE_MILLISECONDS)
    .sort(([a], [b]) => b - a)
    .map(([revision, own]) => ({
      labels: { service_name: totals.name, service_version: String(revision) },
      counted: added(before.get(revision) ?? {}, own),
      now: own.at(-1)?.counts ?? {},
    }));
}

const added = (before: MinuteCounts, minutes: readonly Measured[]): MinuteCounts =>
  minutes.reduce((sum, { counts }) => merge(sum, countedOf(counts), 'times'), before);
