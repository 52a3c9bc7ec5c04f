import { type GroupRecord, processesOf, readProcesses } from './read.ts';
import { processSource, type Usage } from './source.ts';

/**
 * What the processes of each group use together, in the order of the groups. Processor seconds are those
 * since each process began, so they grow while the same processes live. Memory that several processes share
 * counts once where the platform tells. Undefined: no process of the group could be read.
 */
export function usagesOf(groups: readonly GroupRecord[]): (Usage | undefined)[] {
  if (groups.length === 0) return [];
  const rows = readProcesses();
  const members = groups.map((group) => processesOf(group, rows).map(({ pid }) => pid));
  const used = processSource().usages(members.flat());
  return members.map((pids) => {
    const parts = pids.flatMap((pid) => used.get(pid) ?? []);
    if (parts.length === 0) return undefined;
    return {
      cpuSeconds: sum(parts.map(({ cpuSeconds }) => cpuSeconds)),
      memoryBytes: sum(parts.map(({ memoryBytes }) => memoryBytes)),
    };
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
