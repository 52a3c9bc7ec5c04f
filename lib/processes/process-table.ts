import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Environment variable that every process of a group inherits, also one that left the group with setsid. */
export const MARKER_VARIABLE = 'RUN_GROUP_ID';

/** One living process (zombies are left out). `startTime` tells a process from a later one with the same pid. */
export type ProcessRow = { pid: number; groupId: number; sessionId: number; startTime: string };

/** What identifies a group we started: its first process and the marker that its members carry. */
export type GroupRecord = { pid: number | undefined; startTime: string | undefined; marker: string };

const onLinux = process.platform === 'linux';

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return 'boot';
  }
}
// Start times count from boot: a record kept on disk must not match after a reboot.
const boot = onLinux ? bootId() : '';

function readLinuxRow(pid: number): ProcessRow | undefined {
  try {
    // As UTF-8 a file is read in half the time, and this is read for every process of the machine.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name is in parentheses and may itself hold spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return {
      pid,
      groupId: Number(fields[2]),
      sessionId: Number(fields[3]),
      startTime: `${boot}:${fields[19]}`,
    };
  } catch {
    return undefined; // It ended meanwhile.
  }
}

function readLinuxRows(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readLinuxRow(Number(name)))
    .filter((row) => row !== undefined);
}

function readPsRows(): ProcessRow[] {
  const text = execFileSync('ps', ['-axo', 'pid=,pgid=,stat=,lstart='], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '/bin:/usr/bin', LC_ALL: 'C' },
  });
  return text.split('\n').flatMap((line) => {
    const [, pid, groupId, state, startTime] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined || state === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), groupId: Number(groupId), sessionId: -1, startTime: startTime ?? '' }];
  });
}

/** All living processes: from /proc on Linux, from `ps` elsewhere. */
export function readProcesses(): ProcessRow[] {
  return onLinux ? readLinuxRows() : readPsRows();
}

/** When a living process started, in the platform's own notation; undefined when there is none with this pid. */
export function startTimeOf(pid: number): string | undefined {
  if (onLinux) return readLinuxRow(pid)?.startTime;
  return readPsRows().find((row) => row.pid === pid)?.startTime;
}

function readMarker(pid: number): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    const at = `\0${environment}`.indexOf(`\0${MARKER_VARIABLE}=`);
    return at === -1 ? undefined : environment.slice(at, environment.indexOf('\0', at));
  } catch {
    return undefined; // It ended, or it is another user's.
  }
}

/** What the environments of older processes hold, by pid and start time. A machine has hundreds, and each look would read them all. */
const markers = new Map<string, string | undefined>();
const MARKERS_MAX = 4_000;
/** A process that was just forked still has its parent's environment; by then it has its own. */
const SETTLED_SECONDS = 10;
/** What /proc counts time in, on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;

function isSettled({ startTime }: ProcessRow): boolean {
  const ticks = Number(startTime.slice(startTime.indexOf(':') + 1));
  return uptime() - ticks / TICKS_PER_SECOND > SETTLED_SECONDS;
}

function markerOf(row: ProcessRow): string | undefined {
  const key = `${row.pid} ${row.startTime}`;
  if (markers.has(key)) return markers.get(key);
  const marker = readMarker(row.pid);
  if (isSettled(row)) {
    if (markers.size >= MARKERS_MAX) markers.clear();
    markers.set(key, marker);
  }
  return marker;
}

/** The living processes whose environment carries `marker` (Linux; elsewhere none can be told). */
export function carriersOf(marker: string, rows: ProcessRow[] = readProcesses()): ProcessRow[] {
  if (!onLinux) return [];
  return rows.filter((row) => row.pid !== process.pid && markerOf(row)?.includes(marker) === true);
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
export function membersOf(group: GroupRecord, rows: ProcessRow[] = readProcesses()): ProcessRow[] {
  const grouped = inGroup(group, rows);
  const known = new Set(grouped.map((row) => row.pid));
  const rest = rows.filter((row) => !known.has(row.pid));
  return [...grouped, ...carriersOf(group.marker, rest)];
}
