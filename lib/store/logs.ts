import * as z from 'zod';
import type { DeploymentRef } from '../contract/refs.ts';
import { put, remove, same } from './dynamodb/expressions.ts';
import { find, queryAll, queryPage } from './dynamodb/reads.ts';
import { transact, type Write } from './dynamodb/transact.ts';
import { write } from './dynamodb/write.ts';
import { deploymentPk, type Key } from './keys/index.ts';
import type { Table } from './table.ts';

/** The build or deploy log of a deployment. */
export type LogRef = DeploymentRef & { type: 'build' | 'deploy' };

const base = { v: z.literal(1), pk: z.string(), sk: z.string(), tenant_id: z.string(), ttl: z.number() };

/** Lines of a log that were written together. Times in epoch milliseconds. */
export const logChunk = z.object({
  ...base,
  entity: z.literal('log_chunk'),
  revision_id: z.string(),
  first: z.number(),
  last: z.number(),
  /** Gzipped JSON lines of [timestamp, level, message]. */
  lines: z.instanceof(Uint8Array),
});
export type LogChunk = z.infer<typeof logChunk>;

/** The time of the newest line: what makes each chunk later than the one before it. */
export const logEnd = z.object({ ...base, entity: z.literal('log_end'), last: z.number() });

const KEPT_SECONDS = 30 * 24 * 3600;
/**
 * The end outlives the chunks, so that what is written after a pause still comes later than what a reader has
 * seen.
 */
const END_KEPT_SECONDS = 2 * KEPT_SECONDS;
const REMOVED_AT_ONCE = 90;

/** The time (epoch milliseconds) of a log's newest line; undefined when there is none. */
export const findLogEnd = async (table: Table, log: LogRef): Promise<number | undefined> =>
  (await find(table, logEndKey(log.tenantId, log.deploymentId, log.type), logEnd))?.last;

export type NewChunk = Pick<LogChunk, 'revision_id' | 'first' | 'last'> & { lines: Uint8Array };

/**
 * Adds chunks to a log, in the order of their times. Demands that the log's end is `before`, as it was read.
 */
export function appendChunks(
  { tenantId, deploymentId, type }: LogRef,
  before: number | undefined,
  chunks: NewChunk[],
  now: number,
): Write[] {
  const seconds = Math.floor(now / 1000);
  const fixed = { v: 1, tenant_id: tenantId };
  const end = { ...logEndKey(tenantId, deploymentId, type), ...fixed, entity: 'log_end' };
  const last = chunks.at(-1)?.last ?? 0;
  return [
    put('log_end', { ...end, last, ttl: seconds + END_KEPT_SECONDS }, same('last', before)),
    ...chunks.map((chunk) =>
      put('log_chunk', {
        ...logChunkKey(tenantId, deploymentId, type, chunk.last),
        ...fixed,
        entity: 'log_chunk',
        ...chunk,
        ttl: seconds + KEPT_SECONDS,
      }),
    ),
  ];
}

export type ChunkRange = {
  /** The times of the chunks' last lines, both included. */
  from: number;
  to: number;
  newestFirst: boolean;
  /** So many are read at a time. */
  limit: number;
};

/**
 * The chunks of a log whose last lines are in this range; a consumer that stops early reads no further page.
 */
export async function* chunksBetween(
  table: Table,
  { tenantId, deploymentId, type }: LogRef,
  { from, to, newestFirst, limit }: ChunkRange,
): AsyncGenerator<LogChunk> {
  const key = (time: number) => logChunkKey(tenantId, deploymentId, type, time);
  yield* queryAll(table, logChunk, {
    pk: key(from).pk,
    between: [key(from).sk, key(to).sk],
    newestFirst,
    limit,
  });
}

/** Removes some of a log's chunks, or its end after the last of them. `more`: there are more. */
export async function removeSomeOf(table: Table, log: LogRef): Promise<'done' | 'more'> {
  const { tenantId, deploymentId, type } = log;
  const key = (time: number) => logChunkKey(tenantId, deploymentId, type, time);
  const page = await queryPage(table, logChunk, {
    pk: key(0).pk,
    between: [key(0).sk, key(Number.MAX_SAFE_INTEGER).sk],
    limit: REMOVED_AT_ONCE,
  });
  const removals = page.items.map(({ pk, sk }) => remove('log_chunk', { pk, sk }));
  if (removals.length > 0) await transact(table, removals);
  if (page.lastKey !== undefined) return 'more';
  await write(table, remove('log_end', logEndKey(tenantId, deploymentId, type)));
  return 'done';
}

const TIME_DIGITS = 15;

/** A chunk of log lines, by the epoch milliseconds of its last line, so that a query can begin at a time. */
export const logChunkKey = (
  tenantId: string,
  deploymentId: string,
  type: 'build' | 'deploy',
  lastTimestamp: number,
): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `LOG#${type}#${String(lastTimestamp).padStart(TIME_DIGITS, '0')}`,
});

export const logEndKey = (tenantId: string, deploymentId: string, type: 'build' | 'deploy'): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `LOGEND#${type}`,
});
