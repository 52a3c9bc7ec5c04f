import { membersOf } from '../tables/raw-json.ts';
import type { Json } from '../tables/rows.ts';

/**
 * What a worker is asked to run: the run's row as it was claimed. The worker's saver asserts `owner` and
 * `epoch` in the transaction of each put, by `select rt.holds_lease(run_id, owner, epoch)`: false means that
 * the run is another's.
 */
export type RunInHand = {
  readonly runId: string;
  readonly threadId: string;
  readonly assistantId: string;
  readonly graphId: string;
  readonly buildId: string;
  readonly revisionId: string;
  /**
   * 1 at first. From 2 on a worker looks whether the run has written a checkpoint, and then goes on from it
   * without its input.
   */
  readonly attempt: number;
  readonly owner: string;
  readonly epoch: number;
  /**
   * The nodes that the thread would run next, as of its last run, by the names of `hello`. The worker does
   * not trust them: it compares the very checkpoint from which a run goes on with the graph that the run's
   * config has made, and those of graphs inside with theirs. A run that would go on at a node which is not
   * there fails with `NodeNotFound`, naming the node and the revision.
   */
  readonly threadNext: readonly string[];
  /** What the client sent: input, command, config, context, stream modes, breakpoints, durability. */
  readonly kwargs: Json;
  readonly metadata: Json;
};

/** How a thread stands: what the worker's graph says of the newest checkpoint. */
export type Snapshot = {
  readonly values: Json;
  /**
   * The nodes that would run next, those of a subgraph too, by the names of `hello`: `node`, `parent:node`.
   * Empty at the end of the graph.
   */
  readonly next: readonly string[];
  /** An object: by the id of each waiting task the list of its interrupts. */
  readonly interrupts: Json;
  /**
   * The thread's state as `GET /threads/{id}/state` answers it, which serves a thread whose build does not
   * run.
   */
  readonly state?: Json;
};

export type RunEnd =
  /** `output` is what `runs.wait` answers, the values if absent. */
  | ({ readonly kind: 'ended'; readonly output?: Json } & Snapshot)
  /** Stopped between two steps, with a checkpoint. */
  | { readonly kind: 'drained' }
  | { readonly kind: 'cancelled' }
  /** The graph has failed: an object `{error, message}`. */
  | { readonly kind: 'failed'; readonly error: Json }
  /** The worker's process has died. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The run is another's by now; nothing of it may be written. */
  | { readonly kind: 'fenced' }
  /** The saver or its connection failed, which is not the graph's fault. */
  | { readonly kind: 'store-away'; readonly reason: string };

export type RunningGraph = {
  /** Never rejects. */
  readonly ended: Promise<RunEnd>;
  /** Stops the graph where it stands. It still ends by `ended`. */
  cancel(): void;
  /** Asks the graph to stop at its next step. It still ends by `ended`. */
  drain(): void;
};

/** Hears of a running graph. */
export type GraphListener = {
  /** An event of the stream; events come in order. */
  onEvent(event: string, data: Json): void;
  /** A checkpoint of this run is stored: what stopped it before did not stop it for good. */
  onStep(): void;
};

/**
 * What a worker does at once. Arguments and answers are JSON objects: `snapshot` {graph_id, thread_id}
 * answers {values, next, interrupts, state}; `drop` {thread_id, run_id?} removes the checkpoints of a thread
 * or of one run of it. The others are those of the HTTP API.
 */
export type WorkerOp =
  | 'snapshot'
  | 'drop'
  | 'copy'
  | 'state'
  | 'history'
  | 'update'
  | 'bulk'
  | 'draw'
  | 'nodes'
  | 'schemas'
  | 'subgraphs'
  | 'store_put'
  | 'store_get'
  | 'store_delete'
  | 'store_search'
  | 'store_namespaces'
  | 'authenticate'
  | 'authorize';

/** The worker has answered that it cannot do what was asked of it. */
export class WorkerFailure extends Error {
  /** An object `{error, message}`, with a `status` if it refuses a request. */
  readonly failure: Json;

  constructor(failure: Json) {
    super(`the worker failed: ${failure.slice(0, 500)}`);
    this.failure = failure;
  }

  /** Postgres was away: it may be asked again. */
  get isAway(): boolean {
    return membersOf(this.failure).get('status') === '503';
  }
}

/** What the queue asks of a worker. Documents are raw JSON text. */
export type GraphWorker = {
  /**
   * What the worker that runs now has said of itself. Nodes of subgraphs are `parent:node`, as xray names
   * them.
   */
  readonly hello: {
    readonly protocol: number;
    readonly language: 'python' | 'javascript';
    readonly langgraph: string;
    /**
     * By the id of each graph its nodes; null where its factory makes none by its default config. It `varies`
     * where a factory makes it: another config may give it others.
     */
    readonly graphs: Readonly<
      Record<string, { readonly nodes: readonly string[] | null; readonly varies?: boolean }>
    >;
  };
  /** Runs a graph until it ends, is drained or cancelled. */
  stream(run: RunInHand, listener: GraphListener): RunningGraph;
  /** Rejects with a `WorkerFailure`, or because the worker's process has ended. */
  call(op: WorkerOp, args: Json): Promise<Json>;
  /**
   * The worker's process has died; who owns it starts another, and the next `stream` and `call` wait for
   * that.
   */
  onLost(listener: (reason: string) => void): void;
};
