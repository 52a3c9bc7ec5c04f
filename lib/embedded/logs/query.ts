import type { DatabaseSync } from 'node:sqlite';
import { idOf, type LogPosition, offsetOf, parseAfterId, parseOffset } from '../../adapters/log-place.ts';
import { type LogEntry, type LogQuery, type LogStream, levelsFrom } from '../../adapters/logs.ts';

type Row = LogEntry & LogPosition;
type Sql = { where: string[]; values: (string | number)[] };

/**
 * The lines that `query` asks for, and the offset that goes on after them (asc: always; desc: while there is
 * more).
 */
export function selectLines(
  db: DatabaseSync,
  stream: LogStream,
  query: LogQuery,
): { rows: Row[]; next: string | undefined } {
  const channelId = findChannel(db, stream);
  const from = parseOffset(query);
  const after = parseAfterId(query);
  if (channelId === undefined) return { rows: [], next: nextOf(query, { from }) };
  const sql = conditions(channelId, stream, query, { from, after });
  const { order, limit } = query;
  const rows = db
    .prepare(
      `SELECT sequence, timestamp, level, message FROM lines WHERE ${sql.where.join(' AND ')}
       ORDER BY timestamp ${order}, sequence ${order} LIMIT ?`,
    )
    .all(...sql.values, limit + 1)
    .map(toRow);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  if (rows.length > limit && last !== undefined) return { rows: page, next: offsetOf(order, last) };
  return { rows: page, next: nextOf(query, { newest: newestPlace(db, channelId), last, from }) };
}

/**
 * A short page in asc order has seen all there is: whatever comes later comes after the newest line, filtered
 * or not. Only below an end time there are lines that it has not seen, and a later question may reach
 * further.
 */
function nextOf(
  query: LogQuery,
  seen: { newest?: LogPosition | undefined; last?: LogPosition | undefined; from: LogPosition | undefined },
): string | undefined {
  if (query.order === 'desc') return undefined;
  const end = query.endTime === undefined ? (seen.newest ?? seen.last) : seen.last;
  return offsetOf('asc', end ?? seen.from ?? { timestamp: 0, sequence: 0 });
}

function findChannel(db: DatabaseSync, stream: LogStream): number | undefined {
  const row = db
    .prepare('SELECT id FROM channels WHERE tenant_id = ? AND deployment_id = ? AND type = ?')
    .get(stream.tenantId, stream.deploymentId, stream.type);
  return row === undefined ? undefined : Number(row.id);
}

function newestPlace(db: DatabaseSync, channelId: number): LogPosition | undefined {
  const row = db
    .prepare(
      'SELECT timestamp, sequence FROM lines WHERE channel_id = ? ORDER BY timestamp DESC, sequence DESC LIMIT 1',
    )
    .get(channelId);
  return row && { timestamp: Number(row.timestamp), sequence: Number(row.sequence) };
}

function conditions(
  channelId: number,
  stream: LogStream,
  query: LogQuery,
  places: { from: LogPosition | undefined; after: LogPosition | undefined },
): Sql {
  const sql: Sql = { where: [], values: [] };
  const add = (condition: string, ...values: (string | number)[]) => {
    sql.where.push(condition);
    sql.values.push(...values);
  };
  const { from, after } = places;
  add('channel_id = ?', channelId);
  if (stream.revisionId !== undefined) add('revision_id = ?', stream.revisionId);
  const beyond = query.order === 'asc' ? '>' : '<';
  if (from !== undefined) add(`(timestamp, sequence) ${beyond} (?, ?)`, from.timestamp, from.sequence);
  if (after !== undefined) add('(timestamp, sequence) > (?, ?)', after.timestamp, after.sequence);
  if (query.startTime !== undefined) add('timestamp >= ?', query.startTime);
  if (query.endTime !== undefined) add('timestamp <= ?', query.endTime);
  if (query.level !== undefined) {
    const levels = levelsFrom(query.level);
    add(`level IN (${levels.map(() => '?').join(', ')})`, ...levels);
  }
  if (query.query !== undefined && query.query !== '')
    add('contains_text(message, ?)', query.query.toLowerCase());
  return sql;
}

function toRow(row: Record<string, unknown>): Row {
  const place = { timestamp: Number(row.timestamp), sequence: Number(row.sequence) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the column holds only what `append` was given as a level
  const level = row.level as LogEntry['level'];
  return { ...place, id: idOf(place), level, message: String(row.message) };
}
