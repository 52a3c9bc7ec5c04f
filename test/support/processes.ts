import { readdir, readFile, readlink } from 'node:fs/promises';

export type ProcessFacts = {
  pid: number;
  parentPid: number;
  /** In ticks since boot: tells a process from a later one with the same pid. */
  startTime: string;
  command: string;
  environment: string;
  cwd: string;
};

const empty = (): string => '';

/** All processes of this machine that are no zombies, from /proc (these tests need Linux). */
export async function readProcesses(): Promise<ProcessFacts[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => factsOf(Number(pid))));
  return found.filter((facts) => facts !== undefined);
}

async function factsOf(pid: number): Promise<ProcessFacts | undefined> {
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(empty);
  const [command, environment, stat, cwd] = await Promise.all([
    read('cmdline'),
    read('environ'),
    read('stat'),
    readlink(`/proc/${pid}/cwd`).catch(empty),
  ]);
  const [state, parentPid, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z') return undefined;
  const startTime = more[17] ?? '';
  return {
    pid,
    parentPid: Number(parentPid),
    startTime,
    command: command.replaceAll('\0', ' '),
    environment,
    cwd,
  };
}

/** Those of the processes that still run: the same ones, not later ones with their pids. */
export async function stillRunning(before: readonly ProcessFacts[]): Promise<ProcessFacts[]> {
  const identity = (one: ProcessFacts) => `${one.pid} ${one.startTime}`;
  const known = new Set(before.map(identity));
  return (await readProcesses()).filter((one) => known.has(identity(one)));
}
