import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { printedBy } from '../tools.ts';

/**
 * One living process (zombies are left out). `startTime` tells a process from a later one with the same pid.
 */
export type ProcessRow = { pid: number; groupId: number; sessionId: number; startTime: string };

/** What a process uses: processor seconds since it began, and the bytes of its memory that are in use. */
export type Usage = { cpuSeconds: number; memoryBytes: number };

/** Where a platform tells of its processes. */
type ProcessSource = {
  /** All living processes. */
  rows(): ProcessRow[];
  /** One of them; undefined when it is not alive. */
  row(pid: number): ProcessRow | undefined;
  /**
   * What processes carry in the variable MARKER_VARIABLE of their environment. Those that carry nothing, or
   * do not tell, have no entry.
   */
  markers(pids: readonly number[]): Map<number, string>;
  ageSeconds(row: ProcessRow): number;
  /** Of these processes; one that has ended has no entry. */
  usages(pids: readonly number[]): Map<number, Usage>;
};

/** Environment variable that every process of a group inherits, also one that left the group with setsid. */
export const MARKER_VARIABLE = 'RUN_GROUP_ID';

/** What /proc counts time in, on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;

let boot: string | undefined;

/** Start times count from boot: a record kept on disk must not match after a reboot. */
function bootId(): string {
  try {
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    boot = 'boot';
  }
  return boot;
}

function readRow(pid: number): ProcessRow | undefined {
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
      startTime: `${bootId()}:${fields[19]}`,
    };
  } catch {
    return undefined; // It ended meanwhile.
  }
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

const KIBIBYTE = 1024;

/** The processor time of a process and of those children of it that have ended, from /proc/<pid>/stat. */
export function parseCpuSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}

/** Bytes of the line `<name>:   123 kB`; undefined: there is none. */
export function parseKilobytes(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name}:`));
  const kilobytes = Number.parseInt(line?.slice(name.length + 1) ?? '', 10);
  return Number.isNaN(kilobytes) ? undefined : kilobytes * KIBIBYTE;
}

/** Its share of the pages that it has in memory; where the kernel does not tell, all of them. */
function readMemory(pid: number): number {
  try {
    const share = parseKilobytes(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss');
    if (share !== undefined) return share;
  } catch {
    // It is another user's, or the kernel has no such file.
  }
  return parseKilobytes(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS') ?? 0;
}

function readUsage(pid: number): Usage | undefined {
  try {
    const cpuSeconds = parseCpuSeconds(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { cpuSeconds, memoryBytes: readMemory(pid) };
  } catch {
    return undefined; // It ended meanwhile.
  }
}

/** Processes as Linux tells of them in /proc. */
const procSource: ProcessSource = {
  rows: () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readRow(Number(name)))
      .filter((row) => row !== undefined),
  row: readRow,
  markers: (pids) =>
    new Map(
      pids.flatMap((pid): [number, string][] => {
        const marker = readMarker(pid);
        return marker === undefined ? [] : [[pid, marker]];
      }),
    ),
  ageSeconds({ startTime }) {
    const ticks = Number(startTime.slice(startTime.indexOf(':') + 1));
    return uptime() - ticks / TICKS_PER_SECOND;
  },
  usages: (pids) =>
    new Map(
      pids.flatMap((pid): [number, Usage][] => {
        const usage = readUsage(pid);
        return usage === undefined ? [] : [[pid, usage]];
      }),
    ),
};

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

/**
 * Reads what `ps -o pid=,rss=,time=` prints: `  12  3456 00:01:02`, on macOS `12 3456 1:02.34`, and
 * `2-03:04:05` after days.
 */
export function parseUsages(text: string): Map<number, Usage> {
  return new Map(
    text.split('\n').flatMap((line): [number, Usage][] => {
      const [, pid, kilobytes, days = '0', time = ''] =
        /^(\d+)\s+(\d+)\s+(?:(\d+)-)?([\d:.]+)$/.exec(line.trim()) ?? [];
      if (pid === undefined) return [];
      const seconds = time.split(':').reduce((total, part) => total * 60 + Number(part), 0);
      const cpuSeconds = Number(days) * 86_400 + seconds;
      return [[Number(pid), { cpuSeconds, memoryBytes: Number(kilobytes) * KIBIBYTE }]];
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
  usages: (pids) =>
    pids.length === 0
      ? new Map()
      : parseUsages(printedBy('ps', ['-o', 'pid=,rss=,time=', '-p', pids.join(',')])),
};

/** With the value `ps`, processes and ports are read as on platforms without /proc. For tests. */
export const SOURCE_VARIABLE = 'PROCESSES_READ_WITH';

/** Whether processes and ports are read from /proc; elsewhere `ps` and `lsof` tell of them. */
export const hasProc = (): boolean => process.platform === 'linux' && process.env[SOURCE_VARIABLE] !== 'ps';

/** Where this platform tells of its processes. */
export const processSource = (): ProcessSource => (hasProc() ? procSource : psSource);
