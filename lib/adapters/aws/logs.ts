import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { appendChunks, findLogEnd, type NewChunk, removeSomeOf } from '../../store/logs.ts';
import type { Table } from '../../store/table.ts';
import type { Clock } from '../clock.ts';
import type { LogLine, Logs, RevisionLog } from '../logs.ts';
import { chunksOf, createdAt, packLines } from './log-chunks.ts';
import { queryLog } from './log-query.ts';

/** At most two megabytes: half of what a transaction may hold. */
const CHUNKS_A_TRANSACTION_MAX = 20;

/**
 * Log lines in the table: gzipped chunks in the order of their times, one log a deployment and type. An
 * append is a transaction with the log's end, so a chunk never appears before one that was read already: who
 * follows sees every line exactly once.
 */
export function createTableLogs(table: Table, clock: Pick<Clock, 'now'>): Logs {
  return {
    async append(stream, lines) {
      if (lines.length > 0) await appendLines(table, stream, lines, clock.now());
    },
    query: (stream, query) => queryLog(table, stream, query),
    async delete(tenantId, deploymentId) {
      for (const type of ['build', 'deploy'] as const)
        if ((await removeSomeOf(table, { tenantId, deploymentId, type })) === 'more') return 'more';
      return 'done';
    },
  };
}

async function appendLines(table: Table, stream: RevisionLog, lines: LogLine[], now: number): Promise<void> {
  const earliest = createdAt(stream.revisionId);
  let written = 0;
  while (written < lines.length) {
    const rest = lines.slice(written);
    written += await retryRaces(table, async () => {
      const end = await findLogEnd(table, stream);
      const chunks = chunksOf(rest, { last: end ?? 0, earliest, now });
      const some = chunks.slice(0, CHUNKS_A_TRANSACTION_MAX);
      const packed = some.map((chunk) => packedChunk(stream, chunk));
      await transact(table, appendChunks(stream, end, packed, now));
      return some.reduce((count, chunk) => count + chunk.length, 0);
    });
  }
}

const packedChunk = ({ revisionId }: RevisionLog, lines: LogLine[]): NewChunk => ({
  revision_id: revisionId,
  first: lines[0]?.timestamp ?? 0,
  last: lines.at(-1)?.timestamp ?? 0,
  lines: packLines(lines),
});
