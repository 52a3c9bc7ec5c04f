import type { Random } from '../random.ts';

/** What is deployed: a graph of steps in a row, at one of which it may ask a person before it goes on. */
export type Build = {
  readonly id: string;
  /** The names of the steps; another build may have the same step under another name. */
  readonly nodes: readonly string[];
  /** The step before which the graph waits for an answer. */
  readonly asksAt: number | undefined;
  /** Whether its worker can say before a run which nodes it has. */
  readonly isShown: boolean;
};

const STEPS = 5;

export function firstBuild(random: Random): Build {
  const asksAt = random.chance(0.7) ? random.whole(1, STEPS - 1) : undefined;
  const nodes = Array.from({ length: STEPS }, (_, n) => `step${n}`);
  return { id: 'build-1', nodes, asksAt, isShown: random.chance(0.7) };
}

/** The next build: often with a step renamed, which is what a thread that waits there cannot know. */
export function nextBuild(random: Random, before: Build, n: number): Build {
  const rename = random.chance(0.7);
  const all = random.chance(0.3);
  const one = random.chance(0.5) ? before.asksAt : random.whole(0, STEPS - 1);
  const nodes = before.nodes.map((name, at) => (rename && (all || at === one) ? `step${at}.${n}` : name));
  return { id: `build-${n}`, nodes, asksAt: before.asksAt, isShown: random.chance(0.7) };
}

/** What a checkpoint remembers of the thread since its last input. */
export type Entry =
  | { readonly kind: 'input'; readonly runId: string }
  | { readonly kind: 'step'; readonly at: number; readonly runId: string };

export type Checkpoint = {
  readonly runId: string;
  readonly buildId: string;
  readonly next: readonly string[];
  readonly entries: readonly Entry[];
};

/** A checkpoint that was put: its place in the order of all. */
type Put = { readonly id: number; readonly checkpoint: Checkpoint };

const EMPTY: Checkpoint = { runId: '', buildId: '', next: [], entries: [] };

/** The checkpoints of the library, by thread: the last one counts. */
export class Checkpoints {
  readonly #threads = new Map<string, Put[]>();
  #newest = 0;

  head(threadId: string): Checkpoint {
    return this.#threads.get(threadId)?.at(-1)?.checkpoint ?? EMPTY;
  }

  /** One by its id, if it is there yet. */
  at(threadId: string, id: number): Checkpoint | undefined {
    return this.#threads.get(threadId)?.find((put) => put.id === id)?.checkpoint;
  }

  /** The ids of a thread's checkpoints. */
  ids(threadId: string): number[] {
    return (this.#threads.get(threadId) ?? []).map(({ id }) => id);
  }

  put(threadId: string, checkpoint: Checkpoint): void {
    this.#newest += 1;
    const put = { id: this.#newest, checkpoint };
    this.#threads.set(threadId, [...(this.#threads.get(threadId) ?? []), put]);
  }

  drop(threadId: string, runId: string): void {
    const left = (this.#threads.get(threadId) ?? []).filter(({ checkpoint }) => checkpoint.runId !== runId);
    this.#threads.set(threadId, left);
  }

  /** All that were ever put and not dropped. */
  ofRun(runId: string): boolean {
    return [...this.#threads.values()].some((all) =>
      all.some(({ checkpoint }) => checkpoint.runId === runId),
    );
  }
}

/** The checkpoint that a run names to go on from, if it does. */
export function forkedFrom(kwargs: string): number | undefined {
  const id = /"checkpoint_id":"(\d+)"/.exec(kwargs)?.[1];
  return id === undefined ? undefined : Number(id);
}
