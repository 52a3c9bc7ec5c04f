import type { LogEntry } from '../../lib/client/endpoints.ts';

/** The page holds so many lines at most; the rest stays at the API. */
export const LINES_MAX = 5_000;

export type LogBuffer = {
  lines: readonly LogEntry[];
  /** There are older lines than the first one. */
  hasEarlier: boolean;
  /** Newer lines were left out, because a line far back is shown. */
  isBehind: boolean;
};

export const emptyLog: LogBuffer = { lines: [], hasEarlier: false, isBehind: false };

/** Lines that are new to the buffer: a reader that comes back is sent some again. */
function unseen(known: readonly LogEntry[], given: readonly LogEntry[]): LogEntry[] {
  const ids = new Set(known.slice(-LINES_MAX).map(({ id }) => id));
  return given.filter(({ id }) => !ids.has(id));
}

/** With newer lines at the end; the oldest ones go where there are too many. */
export function appended(buffer: LogBuffer, given: readonly LogEntry[]): LogBuffer {
  const added = unseen(buffer.lines, given);
  if (added.length === 0) return buffer;
  const all = [...buffer.lines, ...added];
  return {
    ...buffer,
    lines: all.slice(-LINES_MAX),
    hasEarlier: buffer.hasEarlier || all.length > LINES_MAX,
  };
}

/** With older lines (oldest first) at the beginning; the newest ones go where there are too many. */
export function prepended(buffer: LogBuffer, given: readonly LogEntry[], hasEarlier: boolean): LogBuffer {
  const all = [...unseen(buffer.lines, given), ...buffer.lines];
  return {
    lines: all.slice(0, LINES_MAX),
    hasEarlier,
    isBehind: buffer.isBehind || all.length > LINES_MAX,
  };
}
