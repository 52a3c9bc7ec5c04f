import * as z from 'zod';
import { freeText, withoutNulls } from './validation/json.ts';
import { report } from './validation/problems.ts';
import { orNull, queryInt } from './validation/query.ts';

export const LOG_PAGE_LENGTH_MAX = 1000;
const LOG_PAGE_LENGTH_DEFAULT = 50;

export const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Names that other logging libraries give to our levels. */
const levelAliases: Record<string, LogLevel> = {
  TRACE: 'DEBUG',
  WARN: 'WARNING',
  CRITICAL: 'ERROR',
  FATAL: 'ERROR',
};

const logLevel = z
  .string()
  .transform((text) => levelAliases[text.toUpperCase()] ?? text.toUpperCase())
  .pipe(z.enum(logLevels));

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

const orders = ['asc', 'desc'] as const;

/**
 * Body of the log queries by POST; a `limit` above the maximum is the maximum. Times become epoch
 * milliseconds.
 */
export const logQueryBody = z
  .object({
    order: z.enum(orders).nullish(),
    limit: z.int().min(1).nullish(),
    offset: freeText.nullish(),
    level: logLevel.nullish(),
    query: freeText.nullish(),
    start_time: time.nullish(),
    end_time: time.nullish(),
  })
  .transform(withoutNulls)
  .transform(({ order = 'asc', limit = LOG_PAGE_LENGTH_DEFAULT, ...rest }) => ({
    ...rest,
    order,
    limit: Math.min(limit, LOG_PAGE_LENGTH_MAX),
  }));
export type LogQueryBody = z.output<typeof logQueryBody>;

/** Query of `GET …/logs`: the same filters. */
export const revisionLogsQuery = z.object({
  type: orNull(z.enum(['build', 'deploy'])),
  order: orNull(z.enum(orders).default('asc')),
  limit: orNull(queryInt({ min: 1, max: LOG_PAGE_LENGTH_MAX }).default(LOG_PAGE_LENGTH_DEFAULT)),
  offset: freeText.optional(),
  level: orNull(logLevel.optional()),
  query: freeText.optional(),
  start_time: time.optional(),
  end_time: time.optional(),
});
export type RevisionLogsQuery = z.output<typeof revisionLogsQuery>;

export const logEntry = z.object({
  id: z.string().min(1),
  timestamp: z.number(),
  level: z.enum(logLevels),
  message: z.string(),
});
export const logPage = z.object({ logs: z.array(logEntry), next_offset: z.string().nullable() });
export type LogPage = z.input<typeof logPage>;
