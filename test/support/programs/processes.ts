import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type ProcessFacts = {
  pid: number;
  parentPid: number;
  /** In ticks since boot: tells a process from a later one with the same pid. */
  startTime: string;
  command: string;
  environment: string;
  cwd: string;
};

/** `read` gives nothing for a process that has ended meanwhile, or that is not ours to look at. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/**
 * All processes of this machine that are no zombies, from /proc (these tests need Linux). Tests look again
 * and again: what is read without waiting costs a tenth, and threads of the kernel, which are most of a
 * machine's processes, have nothing to tell.
 */
export function readProcesses(): ProcessFacts[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => factsOf(Number(pid))).filter((facts) => facts !== undefined);
}

const KERNEL_THREADS_PARENT = 2;

function factsOf(pid: number): ProcessFacts | undefined {
  const read = (file: string): string => orEmpty(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
  const stat = read('stat');
  const [state, parent, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const parentPid = Number(parent);
  if (stat === '' || state === 'Z' || parentPid === KERNEL_THREADS_PARENT) return undefined;
  return {
    pid,
    parentPid,
    startTime: more[17] ?? '',
    command: read('cmdline').replaceAll('\0', ' '),
    environment: read('environ'),
    cwd: orEmpty(() => readlinkSync(`/proc/${pid}/cwd`)),
  };
}

/** Those of the processes that still run: the same ones, not later ones with their pids. */
export function stillRunning(before: readonly ProcessFacts[]): ProcessFacts[] {
  return before.filter((one) => factsOf(one.pid)?.startTime === one.startTime);
}
