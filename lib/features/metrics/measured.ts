import type { DeploymentRef } from '../../contract/refs.ts';
import { findTotals, hoursIn, minutesIn } from '../../core/items/metrics.ts';
import type { Measured } from '../../domain/metrics/shown.ts';
import { HOUR_QUARTERS, hourAt, quarterAt } from '../../domain/metrics/times.ts';
import type { Table } from '../../store/table.ts';

/** From the first up to the second, which is left out; epoch milliseconds. */
export type Time = { from: number; to: number };

const within = (measured: Measured[], { from, to }: Time): Measured[] =>
  measured.filter(({ at }) => at >= from && at < to);

/** The minutes of a time, in its order. They are kept for 30 days. */
export async function minutesOf(table: Table, ref: DeploymentRef, time: Time): Promise<Measured[]> {
  const quarters = { from: quarterAt(time.from), to: quarterAt(time.to - 1) };
  return within(await minutesIn(table, ref, quarters, { eventually: true }), time);
}

/**
 * The hours of a time, in its order, and the minutes of those that were not made yet. They are kept for
 * thirteen months.
 */
export async function hoursOf(table: Table, ref: DeploymentRef, time: Time): Promise<Measured[]> {
  const { rolled = 0 } = (await findTotals(table, ref)) ?? {};
  const [made, open] = await Promise.all([
    hoursIn(table, ref, { from: hourAt(time.from), to: hourAt(time.to - 1) }),
    minutesIn(
      table,
      ref,
      { from: Math.max(quarterAt(time.from), rolled * HOUR_QUARTERS), to: quarterAt(time.to - 1) },
      { eventually: true },
    ),
  ]);
  // An hour that was made while this was read is there twice.
  return within([...made.filter(({ at }) => hourAt(at) < rolled), ...open], time);
}
