import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Result } from './simulation.ts';

/** One run; `mutant` is a name that `mutantOf` knows. */
export type Job = { seed: number; mutant: string | undefined };

/** Processes that run seeds side by side. */
export class Pool {
  readonly #processes: ChildProcess[];

  constructor(size: number) {
    const program = new URL('./run-jobs.ts', import.meta.url);
    this.#processes = Array.from({ length: size }, () => fork(program, { execArgv: [] }));
  }

  /** Runs jobs in their order, as many at once as there are processes, until `hear` says that no more is wanted. */
  async run(jobs: Iterator<Job, undefined>, hear: (result: Result) => 'enough' | undefined): Promise<void> {
    let isEnough = false;
    const work = async (runner: ChildProcess) => {
      for (let job = jobs.next(); !isEnough && job.done !== true; job = jobs.next()) {
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
async function answerOf(runner: ChildProcess, { seed }: Job): Promise<Result> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(runner, 'exit', { signal }).then(() => {
    throw new Error(`the process that ran seed ${seed} has ended`);
  });
  try {
    const [result] = (await Promise.race([once(runner, 'message', { signal }), ended])) as [Result]; // run-jobs.ts sends no other
    return result;
  } finally {
    ended.catch(() => undefined);
    over.abort();
  }
}

/** A job for each of so many seeds. */
export function* jobsOf(from: number, seeds: number, mutant?: string): Generator<Job, undefined> {
  for (let seed = from; seed < from + seeds; seed++) yield { seed, mutant };
}
