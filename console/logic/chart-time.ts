import type { Axis } from './chart.ts';

const SHORT_MILLISECONDS = 7_200_000;
const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 86_400_000;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** A time of a chart as people say it: the hour within a day, else the day with it. */
export function momentOf(at: number, { step, slots }: Axis): string {
  if (step >= DAY_MILLISECONDS) return day.format(at);
  return (step * slots <= DAY_MILLISECONDS ? clock : dayAndClock).format(at);
}

/** What stands below the left end of a chart. */
export function beginningOf(axis: Axis): string {
  const whole = axis.step * axis.slots;
  if (whole > SHORT_MILLISECONDS) return momentOf(axis.from, axis);
  // The last hour has one minute more, which has begun.
  const hours = Math.floor(whole / HOUR_MILLISECONDS);
  return hours > 0 ? `${hours} h ago` : `${Math.round(whole / 60_000)} min ago`;
}
