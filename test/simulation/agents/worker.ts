import type {
  GraphListener,
  GraphWorker,
  RunEnd,
  RunInHand,
  RunningGraph,
  WorkerOp,
} from '../../../lib/agent-runtime/queue/port.ts';
import { isNull, membersOf } from '../../../lib/agent-runtime/tables/raw-json.ts';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { type Build, type Checkpoint, type Checkpoints, forkedFrom } from './builds.ts';
import { Control, Stopped } from './control.ts';
import type { SimulatedPostgres } from './postgres.ts';
import { Process } from './process.ts';

/** What of a worker may be left out, to see that it is missed. */
export const WORKER_RULES = [
  'input: a run that has begun goes on without it',
  'nodes: a worker says which its graphs have',
  'nodes: a worker compares the checkpoint that a run goes on from',
  'drain: a graph stops between two steps',
] as const;

export type WorkerWorld = {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly postgres: SimulatedPostgres;
  readonly checkpoints: Checkpoints;
  readonly without: ReadonlySet<string>;
  /** A step of this run ends its process whenever it is done. */
  isDeadly(run: RunInHand, at: number): boolean;
  /** A step begins: from now on it has done something. */
  onStep(run: RunInHand, at: number): void;
};

type Running = { readonly run: RunInHand; stop(end: RunEnd): void };

/**
 * The worker of a server: it runs the graph of its build as LangGraph does, silent loss of steps included.
 */
export class SimulatedWorker implements GraphWorker {
  readonly hello: GraphWorker['hello'];
  readonly #world: WorkerWorld;
  readonly #build: Build;
  readonly #server: Process;
  readonly #running = new Set<Running>();
  readonly #calls = new Set<(error: Error) => void>();
  #process: Process;
  #lost: ((reason: string) => void)[] = [];

  constructor(world: WorkerWorld, build: Build, server: Process) {
    this.#world = world;
    this.#build = build;
    this.#server = server;
    this.#process = new Process(`worker of ${server.name}`, world.time);
    const all = { includes: () => true };
    const nodes = world.without.has('nodes: a worker says which its graphs have')
      ? Object.assign([], all)
      : build.isShown
        ? build.nodes
        : null;
    this.hello = { protocol: 1, language: 'python', langgraph: '1', graphs: { agent: { nodes } } };
  }

  /** A graph is about to end the worker's process. */
  onDeadlyStep: () => void = () => undefined;

  get runs(): readonly RunInHand[] {
    return [...this.#running].map(({ run }) => run);
  }

  onLost(listener: (reason: string) => void): void {
    this.#lost.push(listener);
  }

  freeze(milliseconds: number): void {
    this.#process.freeze(milliseconds);
  }

  /** Dies with its server, which it hears of by its socket. */
  die(): void {
    this.#world.time.after(this.#world.random.between(0, 30), () => this.#process.kill());
  }

  /** Dies alone: the server starts another. */
  kill(): void {
    const { time, random } = this.#world;
    this.#process.kill();
    this.#process = new Process(`worker of ${this.#server.name}`, time);
    this.#process.freeze(random.between(200, 1_500));
    const gone = [...this.#running];
    const calls = [...this.#calls];
    this.#running.clear();
    this.#server.after(random.between(1, 20), () => {
      for (const running of gone) running.stop({ kind: 'lost', reason: 'signal SIGKILL' });
      for (const listener of this.#lost) listener('signal SIGKILL');
      for (const reject of calls) reject(new Error('the worker has died'));
    });
  }

  stream(run: RunInHand, listener: GraphListener): RunningGraph {
    const { promise, resolve } = Promise.withResolvers<RunEnd>();
    const running: Running = {
      run,
      stop: (end) => {
        this.#running.delete(running);
        resolve(end);
      },
    };
    this.#running.add(running);
    const control = new Control();
    // A step that holds its thread hears of a cancellation only when it ends.
    const isDeaf = this.#world.random.chance(0.2);
    const graph = new GraphRun(this.#world, this.#build, this.#process, run, listener, control);
    graph.onDeadlyStep = () => this.onDeadlyStep();
    void graph.end().then(running.stop);
    return {
      ended: promise,
      cancel: () => {
        control.isCancelled = true;
        if (!isDeaf) this.#server.after(1, () => control.cancel());
      },
      drain: () => {
        control.isDraining = true;
        if (this.#world.without.has('drain: a graph stops between two steps')) control.drainNow();
      },
    };
  }

  call(op: WorkerOp, args: string): Promise<string> {
    const { postgres, checkpoints } = this.#world;
    const members = membersOf(args);
    const threadId = textOf(members.get('thread_id'));
    const answer = postgres.command(this.#process, () => {
      if (op === 'drop') checkpoints.drop(threadId, textOf(members.get('run_id')));
      return snapshotOf(this.#build, checkpoints.head(threadId));
    });
    const { promise: died, reject } = Promise.withResolvers<never>();
    this.#calls.add(reject);
    return Promise.race([answer, died]).finally(() => this.#calls.delete(reject));
  }
}

const textOf = (json: string | undefined): string => String(JSON.parse(json ?? '""'));

/** As LangGraph tells it: a node that the graph has not is not there. */
function snapshotOf(build: Build, { next, entries, runId }: Checkpoint): string {
  const known = next.filter((node) => build.nodes.includes(node));
  const state = { metadata: { run_id: runId } };
  return JSON.stringify({ values: { steps: entries.length }, next: known, interrupts: {}, state });
}

/** One run of a graph in a worker's process. */
class GraphRun {
  readonly #world: WorkerWorld;
  readonly #build: Build;
  readonly #process: Process;
  readonly #run: RunInHand;
  readonly #listener: GraphListener;
  readonly #control: Control;
  onDeadlyStep: () => void = () => undefined;

  constructor(
    world: WorkerWorld,
    build: Build,
    process: Process,
    run: RunInHand,
    listener: GraphListener,
    control: Control,
  ) {
    this.#world = world;
    this.#build = build;
    this.#process = process;
    this.#run = run;
    this.#listener = listener;
    this.#control = control;
  }

  async end(): Promise<RunEnd> {
    try {
      return await this.#steps();
    } catch (error) {
      if (error instanceof Stopped) return error.end;
      return { kind: 'store-away', reason: String(error) };
    }
  }

  async #steps(): Promise<RunEnd> {
    let head = await this.#begin();
    const [first = ''] = head.next;
    // What LangGraph would pass over in silence.
    const isLost = head.next.length > 0 && !this.#build.nodes.includes(first);
    if (isLost && this.#compares) return nodeNotFound(first);
    for (let isFirst = true; ; isFirst = false) {
      if (this.#control.isCancelled) throw new Stopped({ kind: 'cancelled' });
      if (this.#control.isDraining) throw new Stopped({ kind: 'drained' });
      const [node] = head.next;
      const at = node === undefined ? -1 : this.#build.nodes.indexOf(node);
      // LangGraph finds nothing to do where the node is none of its graph, and says nothing of it.
      if (at < 0) return ended(head, []);
      if (at === this.#build.asksAt && !(isFirst && this.#isAnswer(head))) return ended(head, head.next);
      this.#world.onStep(this.#run, at);
      await this.#stoppable(this.#process.wait(this.#world.random.between(20, 1_500)));
      if (this.#world.isDeadly(this.#run, at)) {
        this.onDeadlyStep();
        await this.#stoppable(this.#process.wait(0));
      }
      if (this.#world.random.chance(0.02)) return failed;
      const following = this.#build.nodes[at + 1];
      head = await this.#put({
        runId: this.#run.runId,
        buildId: this.#build.id,
        next: following === undefined ? [] : [following],
        entries: [...head.entries, { kind: 'step', at, runId: this.#run.runId }],
      });
      this.#listener.onEvent('updates', JSON.stringify({ at }));
    }
  }

  get #compares(): boolean {
    const { without } = this.#world;
    // The first guard is seen to be missed only where this one does not stand behind it.
    return (
      !without.has('nodes: a worker compares the checkpoint that a run goes on from') &&
      !without.has('nodes: a worker says which its graphs have')
    );
  }

  /** Whether the first step is the one that waited for this run's answer. */
  #isAnswer(head: Checkpoint): boolean {
    const isAnswered = head.runId === this.#run.runId && head.entries.at(-1)?.kind === 'step';
    return !isNull(membersOf(this.#run.kwargs).get('command')) && !isAnswered;
  }

  /** Applies the input, unless this run has done so before. */
  async #begin(): Promise<Checkpoint> {
    const { postgres, checkpoints, without } = this.#world;
    const { runId, threadId, kwargs, attempt } = this.#run;
    const read = postgres.command(this.#process, () => checkpoints.head(threadId));
    const head = await this.#stoppable(read);
    const looks = !without.has('input: a run that has begun goes on without it');
    const hasBegun = looks && attempt > 1 && head.runId === runId;
    if (hasBegun) return head;
    const fork = forkedFrom(kwargs);
    if (fork !== undefined) return this.#fork(head, fork);
    const [first = ''] = this.#build.nodes;
    if (isNull(membersOf(kwargs).get('input'))) return head;
    return this.#put({
      runId,
      buildId: this.#build.id,
      next: [first],
      entries: [{ kind: 'input', runId }],
    });
  }

  /** Goes on from an older checkpoint by a copy of it; from the newest one if it was dropped meanwhile. */
  async #fork(head: Checkpoint, id: number): Promise<Checkpoint> {
    const { runId, threadId } = this.#run;
    const from = this.#world.checkpoints.at(threadId, id) ?? head;
    const [first] = from.next;
    const isLost = first !== undefined && !this.#build.nodes.includes(first);
    if (isLost && this.#compares) return from;
    return this.#put({ runId, buildId: this.#build.id, next: from.next, entries: from.entries });
  }

  /** Stores a checkpoint in a transaction that proves the lease. */
  async #put(checkpoint: Checkpoint): Promise<Checkpoint> {
    const { postgres, checkpoints } = this.#world;
    const { runId, threadId, owner, epoch } = this.#run;
    const put = postgres.command(this.#process, () => {
      if (!postgres.tables.holdsLease(runId, owner, epoch)) return false;
      checkpoints.put(threadId, checkpoint);
      return true;
    });
    // Whoever is stopped meanwhile says so when this is over, one way or the other.
    if (!(await put)) throw new Stopped({ kind: 'fenced' });
    this.#listener.onStep();
    return checkpoint;
  }

  #stoppable<T>(what: Promise<T>): Promise<T> {
    return Promise.race([what, this.#control.stopped]);
  }
}

const ended = ({ entries }: Checkpoint, next: readonly string[]): RunEnd => ({
  kind: 'ended',
  values: JSON.stringify({ steps: entries.length }),
  next,
  interrupts: '{}',
});

const nodeNotFound = (node: string): RunEnd => ({
  kind: 'failed',
  error: JSON.stringify({ error: 'NodeNotFound', message: `there is no ${node}` }),
});

const failed: RunEnd = { kind: 'failed', error: '{"error":"ValueError","message":"by chance"}' };
