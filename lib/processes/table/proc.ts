import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { MARKER_VARIABLE, type ProcessRow, type ProcessSource } from './row.ts';

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

/** Processes as Linux tells of them in /proc. */
export const procSource: ProcessSource = {
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
};
