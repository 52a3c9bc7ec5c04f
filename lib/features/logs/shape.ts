import * as z from 'zod';
import { type LogLevel, logLevels } from '../../contract/log-level.ts';
import type { RevisionStatus } from '../../contract/revision-status.ts';
import { freeText, withoutNulls } from '../../contract/validation/json.ts';
import { orNull, queryInt } from '../../contract/validation/query.ts';
import { time } from '../../contract/validation/time.ts';

export const LOG_PAGE_LENGTH_MAX = 1000;
const LOG_PAGE_LENGTH_DEFAULT = 50;

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

/** Query of `GET /v2/deployments/{deployment_id}/logs`: of all its revisions. */
export const deploymentLogsQuery = revisionLogsQuery.extend({
  type: orNull(z.enum(['build', 'deploy']).default('deploy')),
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

/** What the event `end` of a log that is followed says: the status of its revision. */
export type LogEnd = { status: RevisionStatus };
