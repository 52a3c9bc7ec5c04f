/** Times of what is measured, as numbers since 1970: of minutes, quarters of an hour, and hours. */

export const MINUTE_MILLISECONDS = 60_000;
export const QUARTER_MINUTES = 15;
export const HOUR_QUARTERS = 4;
export const HOUR_MILLISECONDS = 3_600_000;
const QUARTER_MILLISECONDS = QUARTER_MINUTES * MINUTE_MILLISECONDS;

/** The numbers of the minute, quarter and hour in which a moment (epoch milliseconds) lies. */
export const minuteAt = (now: number): number => Math.floor(now / MINUTE_MILLISECONDS);
export const quarterAt = (now: number): number => Math.floor(now / QUARTER_MILLISECONDS);
export const hourAt = (now: number): number => Math.floor(now / HOUR_MILLISECONDS);

export const quarterOfMinute = (minute: number): number => Math.floor(minute / QUARTER_MINUTES);
export const hourOfQuarter = (quarter: number): number => Math.floor(quarter / HOUR_QUARTERS);

/** When a minute or an hour begins, in epoch milliseconds. */
export const minuteBegins = (minute: number): number => minute * MINUTE_MILLISECONDS;
export const hourBegins = (hour: number): number => hour * HOUR_MILLISECONDS;
