import { printedBy } from '../tools.ts';
import { MARKER_VARIABLE, type ProcessRow, type ProcessSource } from './row.ts';

/** Of each process: sessions are told by no two systems alike, and are left to the markers. */
const COLUMNS = ['-o', 'pid=,pgid=,stat=,lstart='];
const NO_SESSION = -1;

/** Reads what `ps -o pid=,pgid=,stat=,lstart=` prints: `  12   12 Ss   Mon Nov 23 14:35:30 2026`. */
export function parseRows(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, groupId, state, startTime] = /^(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/s.exec(line.trim()) ?? [];
    if (pid === undefined || startTime === undefined || state?.startsWith('Z') !== false) return [];
    return [{ pid: Number(pid), groupId: Number(groupId), sessionId: NO_SESSION, startTime }];
  });
}

/**
 * A variable of ours holds no spaces; what a command line says of it counts too, for nothing tells the two
 * apart.
 */
const marker = new RegExp(`(?<=\\s)${MARKER_VARIABLE}=\\S+`, 'g');

/** Reads lines of a pid, a command and its environment. */
export function parseMarkers(text: string): Map<number, string> {
  return new Map(
    text.split('\n').flatMap((line): [number, string][] => {
      const carried = line.match(marker);
      return carried === null ? [] : [[Number.parseInt(line, 10), carried.join(' ')]];
    }),
  );
}

/** Shows environments, of unlimited width: BSD's way to say it, which macOS has taken for something else. */
const ENVIRONMENTS = process.platform === 'darwin' ? ['-E', '-ww'] : ['eww'];

/** Processes as `ps` tells of them, on macOS and wherever there is no /proc. */
export const psSource: ProcessSource = {
  rows: () => parseRows(printedBy('ps', ['-ax', ...COLUMNS])),
  row: (pid) => parseRows(printedBy('ps', [...COLUMNS, '-p', String(pid)]))[0],
  markers: (pids) =>
    pids.length === 0
      ? new Map()
      : parseMarkers(printedBy('ps', [...ENVIRONMENTS, '-o', 'pid=,command=', '-p', pids.join(',')])),
  // In UTC, as `ps` was asked.
  ageSeconds: ({ startTime }) => (Date.now() - Date.parse(`${startTime} UTC`)) / 1000,
};
