import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Result } from './simulation.ts';

/** One run; `mutant` is a name that `mutantOf` knows. */
export type Job = { seed: number; mutant?: string; learns?: boolean };

/**
 * What a run tells of guards, if it was asked for: those that it came by, writes without one, and for each
 * refusal its guards.
 */
export type Learnt = { seen: Set<string>; nameless: Set<string>; refusals: string[][] };
export type Answer = Result & { learnt?: Learnt };

/** Processes that run seeds side by side. */
export class Pool {
  readonly #processes: ChildProcess[];

  constructor(size: number, program = new URL('./run-jobs.ts', import.meta.url)) {
    // Sets, too, come as they are.
    const options: ForkOptions = { execArgv: [], serialization: 'advanced' };
    this.#processes = Array.from({ length: size }, () => fork(program, options));
  }

  /**
   * Runs jobs in their order, as many at once as there are processes, until `hear` says that no more is
   * wanted.
   */
  async run(jobs: Iterable<Job>, hear: (answer: Answer) => 'enough' | undefined): Promise<void> {
    let isEnough = false;
    const left = jobs[Symbol.iterator]();
    const work = async (runner: ChildProcess) => {
      for (let job = left.next(); !isEnough && job.done !== true; job = left.next()) {
        runner.send(job.value);
        if (hear(await answerOf(runner, job.value)) === 'enough') isEnough = true;
      }
    };
    await Promise.all(this.#processes.map(work));
  }

  /** A process without anybody to hear from ends. */
  close(): void {
    for (const runner of this.#processes) runner.disconnect();
  }
}

/** Throws when the process ends instead. */
async function answerOf(runner: ChildProcess, { seed }: Job): Promise<Answer> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(runner, 'exit', { signal }).then(() => {
    throw new Error(`the process that ran seed ${seed} has ended`);
  });
  try {
    const [answer] = (await Promise.race([once(runner, 'message', { signal }), ended])) as [Answer]; // run-jobs.ts sends no other
    return answer;
  } finally {
    ended.catch(() => undefined);
    over.abort();
  }
}

/** So many seeds. */
export function* seedsFrom(from: number, seeds: number): Generator<number> {
  for (let seed = from; seed < from + seeds; seed++) yield seed;
}
