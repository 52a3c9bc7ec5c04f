import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { TICKS_PER_SECOND } from '../../lib/processes/table/source.ts';
import { discard, familyOf, startProgram } from '../support/programs/program.ts';
import { printTable } from './table.ts';

const SETTLE_MILLISECONDS = 5_000;
const MEASURED_SECONDS = 60;

/** CPU of everything that runs while nothing is deployed, in percent of one core. */
export async function idle(): Promise<void> {
  const program = await startProgram({ environment: { SLIPWAY_LOG_LEVEL: 'debug' } });
  try {
    await delay(SETTLE_MILLISECONDS);
    const processes = await familyOf(program);
    const before = await Promise.all(processes.map(({ pid }) => cpuSeconds(pid)));
    await delay(MEASURED_SECONDS * 1000);
    const after = await Promise.all(processes.map(({ pid }) => cpuSeconds(pid)));
    const memory = await Promise.all(processes.map(({ pid }) => residentMegabytes(pid)));
    const rows = processes.map(({ command }, index) => {
      const used = (after[index] ?? 0) - (before[index] ?? 0);
      return [labelOf(command), (used / MEASURED_SECONDS) * 100, memory[index] ?? 0];
    });
    const sum = (column: 1 | 2): number => rows.reduce((total, row) => total + Number(row[column]), 0);
    printTable(
      `Idle over ${MEASURED_SECONDS} s, nothing deployed`,
      ['process', '% of a core', 'MiB'],
      [...rows, ['together', sum(1), sum(2)]],
    );
  } finally {
    await discard(program);
  }
}

/** User and system time a process has used. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

export function labelOf(command: string): string {
  const known = ['local.ts', 'listener.ts', 'proxy/main.ts', 'warden-main.ts', 'dynoxide'].find((name) =>
    command.includes(name),
  );
  return known ?? command.slice(0, 40);
}
