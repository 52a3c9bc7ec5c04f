import type { Axis } from './chart.ts';

const SHORT_MILLISECONDS = 7_200_000;
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
  return whole <= SHORT_MILLISECONDS ? `${Math.round(whole / 60_000)} min ago` : momentOf(axis.from, axis);
}
