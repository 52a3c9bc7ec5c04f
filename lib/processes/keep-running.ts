import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessGroup } from './group.ts';
import { describeExit, type Processes } from './run-command.ts';

export type RestartPauses = {
  /** Before the first restart. */
  leastMilliseconds: number;
  /** A program that crashes at once must not spin: pauses double up to this. */
  mostMilliseconds: number;
  /** After so long without a crash the next restart is quick again. */
  steadyMilliseconds: number;
};

export type KeptRunning = {
  /** The group that runs now, or ran last. */
  current(): ProcessGroup;
  /** Starts nothing any more; `stop` ends what runs. */
  end(stop: (group: ProcessGroup) => Promise<void>): Promise<void>;
};

const STEP_MILLISECONDS = 50;

/**
 * Starts a program again whenever it ends, until `end`. `first` is running already. `onEnd` hears how it
 * ended and that it is started again.
 */
export function keepRunning(
  processes: Pick<Processes, 'stop'>,
  first: ProcessGroup,
  launch: () => ProcessGroup,
  pauses: RestartPauses,
  onEnd: (what: string) => void,
): KeptRunning {
  const ending = new AbortController();
  let group = first;
  const supervise = async () => {
    let wait = pauses.leastMilliseconds;
    for (;;) {
      const startedAt = Date.now();
      const exit = await group.exited;
      if (ending.signal.aborted) return;
      // What it left running would keep its ports.
      await processes.stop(group, 0);
      if (Date.now() - startedAt > pauses.steadyMilliseconds) wait = pauses.leastMilliseconds;
      onEnd(`${describeExit(exit)}; starting it again in ${wait} ms`);
      await delay(wait, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) return;
      wait = Math.min(pauses.mostMilliseconds, wait * 2 + STEP_MILLISECONDS);
      group = launch();
    }
  };
  const supervision = supervise();
  return {
    current: () => group,
    async end(stop) {
      ending.abort();
      await stop(group);
      await supervision;
    },
  };
}
