import type { ProcessRow } from './source.ts';
import { processSource } from './source.ts';

/** What identifies a group we started: its first process and the marker that its members carry. */
export type GroupRecord = { pid: number | undefined; startTime: string | undefined; marker: string };

/** All living processes. */
export const readProcesses = (): ProcessRow[] => processSource().rows();

/**
 * When a living process started, in the platform's own notation; undefined when there is none with this pid.
 */
export const startTimeOf = (pid: number): string | undefined => processSource().row(pid)?.startTime;

/**
 * When this process started. Throws when the platform does not say, as no lock could then be told from an
 * abandoned one.
 */
export function ownStartTime(): string {
  const startTime = startTimeOf(process.pid);
  if (startTime === undefined)
    throw new Error(`Cannot read when process ${process.pid} started, from /proc or with ps`);
  return startTime;
}

/**
 * What the environments of older processes hold, by pid and start time. A machine has hundreds, and each look
 * would read them all.
 */
const markers = new Map<string, string | undefined>();
const MARKERS_MAX = 4_000;
/** A process that was just forked still has its parent's environment; by then it has its own. */
const SETTLED_SECONDS = 10;

const keyOf = ({ pid, startTime }: ProcessRow): string => `${pid} ${startTime}`;

/** What each of these processes carries as its marker, by its pid. */
function markersOf(rows: readonly ProcessRow[]): Map<number, string | undefined> {
  const source = processSource();
  const unknown = rows.filter((row) => !markers.has(keyOf(row)));
  const read = source.markers(unknown.map(({ pid }) => pid));
  const found = new Map(rows.map((row) => [row.pid, markers.get(keyOf(row)) ?? read.get(row.pid)] as const));
  if (markers.size + unknown.length > MARKERS_MAX) markers.clear();
  for (const row of unknown)
    if (source.ageSeconds(row) > SETTLED_SECONDS) markers.set(keyOf(row), read.get(row.pid));
  return found;
}

/** The living processes whose environment carries `marker`, as far as the platform tells environments. */
export function carriersOf(marker: string, rows: ProcessRow[] = readProcesses()): ProcessRow[] {
  const others = rows.filter((row) => row.pid !== process.pid);
  const carried = markersOf(others);
  return others.filter(({ pid }) => carried.get(pid)?.includes(marker) === true);
}

function inGroup(group: GroupRecord, rows: ProcessRow[]): ProcessRow[] {
  const { pid, startTime } = group;
  if (pid === undefined) return [];
  // A pid stays taken while its group has members; if its process started at another time, the group is gone.
  const leader = rows.find((row) => row.pid === pid);
  if (leader !== undefined && leader.startTime !== startTime) return [];
  return rows.filter((row) => row.groupId === pid || row.sessionId === pid);
}

/** The living members of a group: by process group, by session, and by marker. */
export function processesOf(group: GroupRecord, rows: ProcessRow[] = readProcesses()): ProcessRow[] {
  const grouped = inGroup(group, rows);
  const known = new Set(grouped.map((row) => row.pid));
  const rest = rows.filter((row) => !known.has(row.pid));
  return [...grouped, ...carriersOf(group.marker, rest)];
}
