import { put, remove, same } from '../../store/expressions.ts';
import { logChunkKey, logEndKey } from '../../store/keys.ts';
import { find, queryPage, retryRaces, transact, type Write } from '../../store/operations.ts';
import type { Table } from '../../store/table.ts';
import type { Clock } from '../clock.ts';
import type { LogLine, Logs } from '../logs.ts';
import { chunksOf, createdAt, logChunk, logEnd, packLines, type WriteStream } from './log-chunks.ts';
import { queryLog } from './log-query.ts';

const KEPT_SECONDS = 30 * 24 * 3600;
/** The end outlives the chunks, so that what is written after a pause still comes later than what a reader has seen. */
const END_KEPT_SECONDS = 2 * KEPT_SECONDS;
/** At most two megabytes: half of what a transaction may hold. */
const CHUNKS_A_TRANSACTION_MAX = 20;
const DELETED_AT_ONCE = 90;

/**
 * Log lines in the table: gzipped chunks in the order of their times, one log a deployment and type. An append is a transaction with the
 * log's end, so a chunk never appears before one that was read already: who follows sees every line exactly once.
 */
export function createTableLogs(table: Table, clock: Pick<Clock, 'now'>): Logs {
  return {
    async append(stream, lines) {
      if (lines.length > 0) await appendLines(table, stream, lines, clock.now());
    },
    query: (stream, query) => queryLog(table, stream, query),
    async delete(tenantId, deploymentId) {
      for (const type of ['build', 'deploy'] as const)
        if ((await deleteLog(table, { tenantId, deploymentId, type })) === 'more') return 'more';
      return 'done';
    },
  };
}

async function appendLines(table: Table, stream: WriteStream, lines: LogLine[], now: number): Promise<void> {
  const key = logEndKey(stream.tenantId, stream.deploymentId, stream.type);
  const earliest = createdAt(stream.revisionId);
  let written = 0;
  while (written < lines.length) {
    const rest = lines.slice(written);
    written += await retryRaces(table, async () => {
      const end = await find(table, key, logEnd);
      const chunks = chunksOf(rest, { last: end?.last ?? 0, earliest, now });
      const some = chunks.slice(0, CHUNKS_A_TRANSACTION_MAX);
      const ttl = Math.floor(now / 1000);
      const last = some.at(-1)?.at(-1)?.timestamp ?? 0;
      const item = { ...key, v: 1, entity: 'log_end', tenant_id: stream.tenantId, last };
      await transact(table, [
        put('log_end', { ...item, ttl: ttl + END_KEPT_SECONDS }, same('last', end?.last)),
        ...some.map((chunk) => chunkWrite(stream, chunk, ttl + KEPT_SECONDS)),
      ]);
      return some.reduce((count, chunk) => count + chunk.length, 0);
    });
  }
}

function chunkWrite(
  { tenantId, deploymentId, revisionId, type }: WriteStream,
  lines: LogLine[],
  ttl: number,
): Write {
  const first = lines[0]?.timestamp ?? 0;
  const last = lines.at(-1)?.timestamp ?? 0;
  return put('log_chunk', {
    ...logChunkKey(tenantId, deploymentId, type, last),
    v: 1,
    entity: 'log_chunk',
    tenant_id: tenantId,
    revision_id: revisionId,
    first,
    last,
    lines: packLines(lines),
    ttl,
  });
}

type Log = { tenantId: string; deploymentId: string; type: 'build' | 'deploy' };

async function deleteLog(table: Table, { tenantId, deploymentId, type }: Log): Promise<'done' | 'more'> {
  const { pk, sk: from } = logChunkKey(tenantId, deploymentId, type, 0);
  const { sk: to } = logChunkKey(tenantId, deploymentId, type, Number.MAX_SAFE_INTEGER);
  const page = await queryPage(table, logChunk, { pk, between: [from, to], limit: DELETED_AT_ONCE });
  const chunks = page.items.map((item) => remove('log_chunk', { pk: item.pk, sk: item.sk }));
  if (chunks.length > 0) await transact(table, chunks);
  if (page.lastKey !== undefined) return 'more';
  await transact(table, [remove('log_end', logEndKey(tenantId, deploymentId, type))]);
  return 'done';
}
