import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import {
  appendChunks,
  chunksBetween,
  findLogEnd,
  type LogChunk,
  type NewChunk,
  removeSomeOf,
} from '../../store/logs.ts';
import type { Table } from '../../store/table.ts';
import type { Clock } from '../clock.ts';
import { idOf, isAfter, type LogPosition, offsetOf, parseAfterId, parseOffset } from '../log-place.ts';
import {
  type LogEntry,
  type LogLine,
  type LogQuery,
  type LogStream,
  type Logs,
  levelsFrom,
  type RevisionLog,
} from '../logs.ts';
import { chunksOf, createdAt, packLines, unpackLines } from './log-chunks.ts';

/** At most two megabytes: half of what a transaction may hold. */
const CHUNKS_A_TRANSACTION_MAX = 20;

/** CloudWatch Logs hands on what builds and tasks print within seconds, beside the event that they ended. */
const LAG_MILLISECONDS = 5_000;

/**
 * Log lines in the table: gzipped chunks in the order of their times, one log a deployment and type. An
 * append is a transaction with the log's end, so a chunk never appears before one that was read already: who
 * follows sees every line exactly once.
 */
export function createTableLogs(table: Table, clock: Pick<Clock, 'now'>): Logs {
  return {
    lagMilliseconds: LAG_MILLISECONDS,
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

/** A page of chunks holds what most questions ask for; a read pays for all of it. */
const CHUNKS_A_PAGE = 10;
/**
 * So many chunks without a full answer, and it is given as far as it goes: a function has only so much time.
 */
const CHUNKS_MAX = 500;
/** No chunk has as many lines. */
const SEQUENCE_MAX = 999_999;
/** The last time that a key has digits for. */
const TIME_MAX = 1e15 - 1;

/** A line's place is its chunk's last time and its number in it. */
type PlacedEntry = { place: LogPosition; entry: LogEntry };
type Ask = {
  stream: LogStream;
  query: LogQuery;
  from: LogPosition | undefined;
  after: LogPosition | undefined;
};
type Answer = { entries: LogEntry[]; nextOffset: string | undefined };

/** The page of a log that `query` asks for: chunks are walked in its order, from where it begins. */
export async function queryLog(table: Table, stream: LogStream, query: LogQuery): Promise<Answer> {
  const ask = { stream, query, from: parseOffset(query), after: parseAfterId(query) };
  const found: PlacedEntry[] = [];
  let seen = ask.from;
  let chunks = 0;
  let stopped = false;
  for await (const chunk of chunksFrom(table, ask)) {
    if (query.order === 'asc' && query.endTime !== undefined && chunk.first > query.endTime) break;
    const entries = entriesOf(chunk, ask);
    found.push(...(query.order === 'asc' ? entries : entries.reverse()));
    seen = placeBehind(chunk, query.order);
    chunks += 1;
    stopped = found.length > query.limit || chunks >= CHUNKS_MAX;
    if (stopped) break;
  }
  const page = found.slice(0, query.limit);
  const entries = page.map(({ entry }) => entry);
  const last = page.at(-1)?.place;
  if (found.length > query.limit) return { entries, nextOffset: last && offsetOf(query.order, last) };
  // Below an end time there are lines that were passed over, and a later question may reach further.
  const reached = query.endTime === undefined || stopped ? seen : (last ?? ask.from);
  if (query.order === 'desc')
    return { entries, nextOffset: stopped && seen ? offsetOf('desc', seen) : undefined };
  return { entries, nextOffset: offsetOf('asc', reached ?? { timestamp: 0, sequence: 0 }) };
}

/** Behind the last line of the chunk that was read, in the direction of reading. */
const placeBehind = ({ last }: LogChunk, order: LogQuery['order']): LogPosition => ({
  timestamp: last,
  sequence: order === 'asc' ? SEQUENCE_MAX : 0,
});

async function* chunksFrom(table: Table, { stream, query, from, after }: Ask): AsyncGenerator<LogChunk> {
  const begins = stream.revisionId === undefined ? 0 : createdAt(stream.revisionId);
  const isAscending = query.order === 'asc';
  const lowest = Math.max(
    begins,
    query.startTime ?? 0,
    after?.timestamp ?? 0,
    (isAscending && from?.timestamp) || 0,
  );
  const highest = (!isAscending && from?.timestamp) || TIME_MAX;
  if (lowest > highest) return;
  const range = { from: Math.floor(lowest), to: highest, newestFirst: !isAscending };
  yield* chunksBetween(table, stream, { ...range, limit: CHUNKS_A_PAGE });
}

function entriesOf(chunk: LogChunk, { stream, query, from, after }: Ask): PlacedEntry[] {
  if (stream.revisionId !== undefined && chunk.revision_id !== stream.revisionId) return [];
  if (query.endTime !== undefined && chunk.first > query.endTime) return [];
  const levels = levelsFrom(query.level ?? 'DEBUG');
  const part = query.query?.toLowerCase() ?? '';
  const wanted = ({ place, entry }: PlacedEntry): boolean =>
    (from === undefined || (query.order === 'asc' ? isAfter(place, from) : isAfter(from, place))) &&
    (after === undefined || isAfter(place, after)) &&
    (query.startTime === undefined || entry.timestamp >= query.startTime) &&
    (query.endTime === undefined || entry.timestamp <= query.endTime) &&
    levels.includes(entry.level) &&
    entry.message.toLowerCase().includes(part);
  return unpackLines(chunk.lines)
    .map((line, index): PlacedEntry => {
      const place = { timestamp: chunk.last, sequence: index };
      return { place, entry: { ...line, id: idOf(place) } };
    })
    .filter(wanted);
}
