import { readFile } from 'node:fs/promises';

/** The memory of processes in MiB, what they share counted once (proportional set size). */
export async function memoryMegabytes(processes: readonly { pid: number }[]): Promise<number> {
  const all = await Promise.all(processes.map(({ pid }) => proportionalMegabytes(pid)));
  return all.reduce((sum, one) => sum + one, 0);
}

async function proportionalMegabytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}
