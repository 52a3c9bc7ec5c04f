import { ComputeRefused } from '../port.ts';

/** What Fargate offers, in CPU units (1,024 are a processor) and MB of memory. */
const GB = 1024;
const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => (from + index * step) * GB);

const offers: readonly [cpu: number, memoryMb: readonly number[]][] = [
  [256, [512, 1 * GB, 2 * GB]],
  [512, steps(1, 4, 1)],
  [1024, steps(2, 8, 1)],
  [2048, steps(4, 16, 1)],
  [4096, steps(8, 30, 1)],
  [8192, steps(16, 60, 4)],
  [16_384, steps(32, 120, 8)],
];
const UNITS = 1024;

export type Size = { cpu: number; memoryMb: number };

/**
 * The smallest size of Fargate that has at least so much: `cpu` in processors. Throws ComputeRefused for more
 * than there is.
 */
export function sizeFor(asked: { cpu: number; memoryMb: number }): Size {
  const wantedCpu = Math.ceil(asked.cpu * UNITS);
  for (const [cpu, memories] of offers) {
    const memoryMb = memories.find((memory) => memory >= asked.memoryMb);
    if (cpu >= wantedCpu && memoryMb !== undefined) return { cpu, memoryMb };
  }
  const [cpu, memories] = offers.at(-1) ?? [0, []];
  throw new ComputeRefused(
    `Fargate has no servers with ${asked.cpu} CPU and ${asked.memoryMb} MB of memory: the largest have ${cpu / UNITS} CPU and ${memories.at(-1)} MB. Ask for less in resource_spec.`,
  );
}

/** Says what was rounded up; undefined: nothing was. */
export function sizeNote(asked: { cpu: number; memoryMb: number }, size: Size): string | undefined {
  if (asked.cpu * UNITS === size.cpu && asked.memoryMb === size.memoryMb) return undefined;
  return `Fargate has no servers with ${asked.cpu} CPU and ${asked.memoryMb} MB: these have ${size.cpu / UNITS} CPU and ${size.memoryMb} MB.`;
}
