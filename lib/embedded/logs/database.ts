import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { LogLine, LogStream, RevisionLog } from '../../adapters/logs.ts';
import { cleanMessage } from '../../domain/log-line.ts';

/** How much one sequence (a deployment's build logs, or its deploy logs) keeps. */
export type StoreBounds = { linesMax: number; bytesMax: number };

/**
 * Clients that follow by time ask for pages of 100 from the newest time on: more lines of one millisecond
 * would hold them there.
 */
const LINES_PER_MILLISECOND_MAX = 20;
/** Rows a deletion takes at a time: the store is synchronous, so other requests are answered in between. */
const DELETE_PAGE_ROWS = 5_000;

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS channels (
    id INTEGER PRIMARY KEY AUTOINCREMENT, tenant_id TEXT NOT NULL, deployment_id TEXT NOT NULL, type TEXT NOT NULL,
    last_timestamp INTEGER NOT NULL, last_count INTEGER NOT NULL, lines INTEGER NOT NULL, bytes INTEGER NOT NULL,
    UNIQUE (tenant_id, deployment_id, type)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS lines (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, channel_id INTEGER NOT NULL, revision_id TEXT NOT NULL,
    timestamp INTEGER NOT NULL, level TEXT NOT NULL, message TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS lines_by_time ON lines (channel_id, timestamp, sequence);
  CREATE INDEX IF NOT EXISTS lines_by_revision ON lines (channel_id, revision_id, timestamp, sequence);
`;

/** Opens or makes the file. `contains_text` is SQL's LIKE for text in any case, beyond ASCII too. */
export function openLogDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec(schema);
  database.function('contains_text', { deterministic: true }, (text, part) =>
    String(text).toLowerCase().includes(String(part)) ? 1 : 0,
  );
  return database;
}

/** Where a sequence stands: the newest time, how many lines share it, and what it holds. */
type Channel = { id: number; lastTimestamp: number; lastCount: number; lines: number; bytes: number };
type AppendContext = { now: number; bounds: StoreBounds };

/** Writes all lines or none. */
export function appendLines(
  db: DatabaseSync,
  stream: RevisionLog,
  lines: LogLine[],
  context: AppendContext,
): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const channel = openChannel(db, stream);
    insertLines(db, channel, stream.revisionId, lines, context.now);
    trim(db, channel, context.bounds);
    saveChannel(db, channel);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function openChannel(db: DatabaseSync, stream: LogStream): Channel {
  const row = db
    .prepare(
      `INSERT INTO channels (tenant_id, deployment_id, type, last_timestamp, last_count, lines, bytes)
       VALUES (?, ?, ?, 0, 0, 0, 0) ON CONFLICT DO UPDATE SET type = type RETURNING *`,
    )
    .get(stream.tenantId, stream.deploymentId, stream.type);
  return {
    id: Number(row?.id),
    lastTimestamp: Number(row?.last_timestamp),
    lastCount: Number(row?.last_count),
    lines: Number(row?.lines),
    bytes: Number(row?.bytes),
  };
}

function insertLines(
  db: DatabaseSync,
  channel: Channel,
  revisionId: string,
  lines: LogLine[],
  now: number,
): void {
  const insert = db.prepare(
    'INSERT INTO lines (channel_id, revision_id, timestamp, level, message) VALUES (?, ?, ?, ?, ?)',
  );
  for (const line of lines.toSorted((a, b) => a.timestamp - b.timestamp)) {
    const message = cleanMessage(line.message);
    insert.run(channel.id, revisionId, nextTimestamp(channel, line.timestamp, now), line.level, message);
    channel.lines += 1;
    channel.bytes += Buffer.byteLength(message);
  }
}

/**
 * The line's own time where order allows. A writer's clock that runs ahead must not hold back all later
 * lines, hence `now`.
 */
function nextTimestamp(channel: Channel, timestamp: number, now: number): number {
  const wanted = Math.min(Math.trunc(timestamp), now);
  const full = channel.lastCount >= LINES_PER_MILLISECOND_MAX;
  const chosen = Math.max(wanted, channel.lastTimestamp + (full ? 1 : 0));
  channel.lastCount = chosen === channel.lastTimestamp ? channel.lastCount + 1 : 1;
  channel.lastTimestamp = chosen;
  return chosen;
}

/** Forgets the oldest tenth at a time: one delete for many appends. */
function trim(db: DatabaseSync, channel: Channel, bounds: StoreBounds): void {
  while (channel.lines > bounds.linesMax || (channel.bytes > bounds.bytesMax && channel.lines > 1)) {
    const surplus = Math.max(1, channel.lines - bounds.linesMax, Math.floor(channel.lines / 10));
    const removed = db
      .prepare(
        `DELETE FROM lines WHERE sequence IN
           (SELECT sequence FROM lines WHERE channel_id = ? ORDER BY timestamp, sequence LIMIT ?)
         RETURNING octet_length(message) AS bytes`,
      )
      .all(channel.id, surplus);
    channel.lines -= removed.length;
    channel.bytes -= removed.reduce((sum, row) => sum + Number(row.bytes), 0);
  }
}

function saveChannel(db: DatabaseSync, channel: Channel): void {
  db.prepare('UPDATE channels SET last_timestamp = ?, last_count = ?, lines = ?, bytes = ? WHERE id = ?').run(
    channel.lastTimestamp,
    channel.lastCount,
    channel.lines,
    channel.bytes,
    channel.id,
  );
}

/**
 * Forgets a deployment's channels at once and their lines page by page; an interrupted deletion is finished
 * by the next one.
 */
export async function deleteChannels(
  db: DatabaseSync,
  tenantId: string,
  deploymentId: string,
): Promise<void> {
  const rows = db
    .prepare('SELECT id FROM channels WHERE tenant_id = ? AND deployment_id = ?')
    .all(tenantId, deploymentId);
  const page = db.prepare(
    'DELETE FROM lines WHERE sequence IN (SELECT sequence FROM lines WHERE channel_id = ? LIMIT ?)',
  );
  for (const { id } of rows) {
    while (page.run(Number(id), DELETE_PAGE_ROWS).changes > 0) await setImmediate();
    db.prepare('DELETE FROM channels WHERE id = ?').run(Number(id));
  }
}
