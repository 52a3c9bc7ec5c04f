import { COUNTS_MINUTES_MAX, type MinuteCounts } from '../../contract/deployments/counts.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { mergeAll } from '../../domain/metrics/merge.ts';
import type { Measured } from '../../domain/metrics/shown.ts';
import {
  HOUR_MILLISECONDS,
  HOUR_QUARTERS,
  hourAt,
  hourBegins,
  hourOfQuarter,
  MINUTE_MILLISECONDS,
} from '../../domain/metrics/times.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import { advanceTotals, findTotals, minutesIn, putHour, withHour } from '../items/metrics.ts';

/** Listeners send counts so long afterwards, and whoever takes them may be a while about it. */
const FINAL_AFTER_MILLISECONDS = (COUNTS_MINUTES_MAX + 15) * MINUTE_MILLISECONDS;

/** When nothing of an hour can come any more, in epoch milliseconds. */
export const finalAt = (hour: number): number =>
  hourBegins(hour) + HOUR_MILLISECONDS + FINAL_AFTER_MILLISECONDS;

/** The first hour of which something can still come. */
const firstOpenHour = (now: number): number => hourAt(now - FINAL_AFTER_MILLISECONDS);

/**
 * Makes an hour of the quarters of each hour of which nothing can come any more, and adds it to the totals,
 * in one transaction: so each counts once, and whatever dies in between is continued. Does nothing for hours
 * that were made.
 */
export async function rollUpMetrics(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  ref: DeploymentRef,
): Promise<void> {
  const found = await findTotals(table, ref);
  if (found === undefined) return;
  const open = firstOpenHour(clock.now());
  const quarters = { from: (found.rolled ?? 0) * HOUR_QUARTERS, to: open * HOUR_QUARTERS - 1 };
  const hours = [...Map.groupBy(await minutesIn(table, ref, quarters), ({ at }) => hourAt(at))];
  const lookAt = hourOfQuarter(found.quarter) < open ? undefined : finalAt(open);
  let before = found;
  for (const [hour, minutes] of hours) {
    const revisions = byRevision(minutes);
    const { due_at: _, ...after } = withHour(before, hour, revisions);
    const next = hour === hours.at(-1)?.[0] ? lookAt : before.due_at;
    const totals = { ...after, ...(next !== undefined && { due_at: next }) };
    await transact(table, [putHour(ref, hour, revisions), advanceTotals(ref, before, totals)]);
    before = totals;
  }
  if (before.due_at === lookAt) return;
  const { due_at: _, ...rest } = before;
  const totals = { ...rest, ...(lookAt !== undefined && { due_at: lookAt }) };
  await write(table, advanceTotals(ref, before, totals));
}

function byRevision(minutes: readonly Measured[]): Map<number, MinuteCounts> {
  const found = Map.groupBy(minutes, ({ revision }) => revision);
  return new Map(
    [...found].map(([number, all]) => [
      number,
      mergeAll(
        all.map(({ counts }) => counts),
        'times',
      ) ?? {},
    ]),
  );
}
