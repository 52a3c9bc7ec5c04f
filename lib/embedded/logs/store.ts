import type { DatabaseSync } from 'node:sqlite';
import type { LogEntry, Logs } from '../../adapters/logs.ts';
import { appendLines, deleteChannels, openLogDatabase, type StoreBounds } from './database.ts';
import { selectLines } from './query.ts';

export type LogStoreOptions = {
  /** The SQLite file. */
  path: string;
  now: () => number;
  bounds?: StoreBounds;
};

/**
 * Keeps a chatty agent from filling the disk: about 100 MB of ordinary lines, half a gigabyte of the longest.
 */
const defaultBounds: StoreBounds = { linesMax: 200_000, bytesMax: 512 * 1024 * 1024 };

/** The log store of this machine; `close` gives the file back. */
export type LogStore = Logs & { close(): void };

/**
 * Opens the SQLite log store. Build logs and deploy logs of each deployment form two sequences; in each,
 * times never go back in the order of writing (a late line gets the time of the line before it), so paging
 * and following by offset, by `startTime` and by `afterId` all see every line exactly once. Beyond `bounds` a
 * sequence forgets its oldest lines.
 */
export function openLogStore(options: LogStoreOptions): LogStore {
  const database: DatabaseSync = openLogDatabase(options.path);
  const bounds = options.bounds ?? defaultBounds;
  let isOpen = true;
  return {
    // The builder, and a listener, hand over every line before they say how it ended.
    lagMilliseconds: 0,
    async append(stream, lines) {
      if (lines.length > 0) appendLines(database, stream, lines, { now: options.now(), bounds });
    },
    async query(stream, query) {
      // Who follows a log while the program ends asks once more: there is nothing further for them.
      if (!isOpen) return { entries: [], nextOffset: query.offset };
      const { rows, next } = selectLines(database, stream, query);
      const entries = rows.map(
        ({ id, timestamp, level, message }): LogEntry => ({ id, timestamp, level, message }),
      );
      return { entries, nextOffset: next };
    },
    async delete(tenantId, deploymentId) {
      await deleteChannels(database, tenantId, deploymentId);
      return 'done';
    },
    close() {
      isOpen = false;
      database.close();
    },
  };
}
