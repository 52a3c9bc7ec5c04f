import * as z from 'zod';
import { report } from './problems.ts';

const BAD_DATETIME = {
  type: 'datetime_parsing',
  msg: 'Input should be a valid datetime in ISO 8601 format',
};
// A `+` of an offset that a client forgot to encode arrives as a space.
const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?)?([Zz]|[+ -]\d{2}:?\d{2})?$/;

/**
 * Epoch milliseconds of an ISO 8601 time, with its microseconds as a fraction; without an offset it is UTC.
 */
export function parseTime(text: string): number | undefined {
  const [, date, time = '00:00', fraction = '', zone = 'Z'] = ISO_TIME.exec(text.trim()) ?? [];
  if (date === undefined) return undefined;
  const offset = zone
    .replace(' ', '+')
    .replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2')
    .toUpperCase();
  const seconds = time.length === 5 ? `${time}:00` : time;
  const wholeSeconds = Date.parse(`${date}T${seconds}${offset}`);
  return Number.isNaN(wholeSeconds) ? undefined : wholeSeconds + Number(`0.${fraction || '0'}`) * 1000;
}

/** An ISO 8601 time; epoch milliseconds once parsed. */
export const time = z.string().transform((text, ctx) => {
  const milliseconds = parseTime(text);
  if (milliseconds !== undefined) return milliseconds;
  report(ctx, BAD_DATETIME, [], text);
  return z.NEVER;
});
