import { STEPS } from './graph.ts';

/** A step that has begun, as it has written it down. */
export type StepLine = {
  /** Seconds. */
  at: number;
  thread: string;
  run: string;
  step: number;
  revision: string;
  /** Of the worker. */
  pid: number;
};

/**
 * A `kill -9`: of what, and which workers had to begin again by it. `until`: when all was dead that ended by
 * it. After one of PostgreSQL a step may be given up until leases are renewed again.
 */
export type Kill = {
  at: number;
  until: number;
  what: 'server' | 'worker' | 'postgres';
  pids: readonly number[];
};

/** Reads what steps have written. A line that is not whole yet is left for later. */
export function linesOf(text: string): StepLine[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => {
    const [at, thread = '', run = '', step, revision = '', pid] = line.split(' ');
    return line === '' ? [] : { at: Number(at), thread, run, step: Number(step), revision, pid: Number(pid) };
  });
}

export type Verdict = {
  /** Has every step, in their order. */
  isWhole: boolean;
  /** Steps that ran again without a kill of what had them in hand. */
  repeated: number;
  /** Steps that ran again after a kill, one for each kill at most. */
  repeatedByKills: number;
};

/**
 * What the lines of one run say of it. A step may run again once for each kill that came while it was in
 * hand; one that ran again otherwise has no excuse.
 */
export function verdictOf(lines: readonly StepLine[], kills: readonly Kill[]): Verdict {
  const sorted = lines.toSorted((a, b) => a.at - b.at);
  const unused = new Set(kills);
  let [repeated, repeatedByKills] = [0, 0];
  let isWhole = sorted[0]?.step === 1 && sorted.at(-1)?.step === STEPS;
  for (const [index, line] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || line.step === before.step + 1) continue;
    const kill = [...unused].find(
      ({ at, until, pids }) => until >= before.at && at <= line.at && pids.includes(before.pid),
    );
    if (line.step > before.step) isWhole = false;
    else if (line.step < before.step || kill === undefined) repeated += 1;
    else {
      unused.delete(kill);
      repeatedByKills += 1;
    }
  }
  return { isWhole, repeated, repeatedByKills };
}

/** The lines of a run beside the kills of what had it in hand, for whoever has to find out what happened. */
export function told(lines: readonly StepLine[], kills: readonly Kill[]): string {
  const sorted = lines.toSorted((a, b) => a.at - b.at);
  const [first, last] = [sorted[0]?.at ?? 0, sorted.at(-1)?.at ?? 0];
  const steps = sorted.map(({ at, step, pid, revision }) => ({
    at,
    text: `step ${step} in ${pid}, revision ${revision}`,
  }));
  const killed = kills
    .filter((kill) => kill.until >= first && kill.at <= last)
    .map(({ at, until, what, pids }) => ({
      at,
      text: `kill -9 of ${what}, with effects for ${(until - at).toFixed(2)} s, on ${pids.join(', ')}`,
    }));
  const all = [...steps, ...killed].toSorted((a, b) => a.at - b.at);
  return [
    `run ${sorted[0]?.run}:`,
    ...all.map(({ at, text }) => `  ${(at - first).toFixed(2)} s: ${text}`),
  ].join('\n');
}
