import {
  type GraphListener,
  type GraphWorker,
  type RunEnd,
  type RunInHand,
  type RunningGraph,
  WorkerFailure,
  type WorkerOp,
} from '../queue/port.ts';
import type { Json } from '../tables/rows.ts';
import { runEndOf } from './run-end.ts';
import { type Hello, type WorkerCommand, WorkerLostError, WorkerSession } from './session.ts';

/** The wait before another start doubles from the first to the last while starts fail. */
const RESTART_MS = { first: 100, last: 10_000 };

/** Whoever asks something while no process runs waits so long for the next one. */
const CALL_WAIT_MS = 30_000;

/** A worker that is started again whenever its process ends. */
export class KeptWorker implements GraphWorker {
  readonly #command: WorkerCommand;
  readonly #lost: ((reason: string) => void)[] = [];
  #hello: Hello;
  #session: Promise<WorkerSession>;
  /** The newest process, also while it loads. */
  #newest: WorkerSession;
  #isUp = true;
  #isStopped = false;

  /** Starts the first process. Throws a WorkerLostError if it ends before it has loaded its graphs. */
  static async start(command: WorkerCommand): Promise<KeptWorker> {
    const session = new WorkerSession(command);
    return new KeptWorker(command, session, await session.hello);
  }

  private constructor(command: WorkerCommand, session: WorkerSession, hello: Hello) {
    this.#command = command;
    this.#hello = hello;
    this.#session = Promise.resolve(session);
    this.#newest = session;
    void this.#keep(session);
  }

  get hello(): GraphWorker['hello'] & Hello {
    return { ...this.#hello, protocol: this.#hello.v };
  }

  /** Whether a process runs that has loaded its graphs. */
  get isUp(): boolean {
    return this.#isUp;
  }

  onLost(listener: (reason: string) => void): void {
    this.#lost.push(listener);
  }

  /** Ends the process. What runs in it is lost: drain before. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#newest.kill('the server stops');
    await this.#newest.ended;
  }

  async call(op: WorkerOp, args: Json): Promise<Json> {
    const session = await this.#within(CALL_WAIT_MS);
    return new Promise<Json>((resolve, reject) => {
      const id = session.open(op, args, {
        onFrame: ({ header, body }) => {
          session.close(id);
          if (header.e === '__ok__') resolve(body.toString());
          else reject(new WorkerFailure(body.toString()));
        },
        onLost: (reason) => reject(new WorkerLostError(reason)),
      });
    });
  }

  stream(run: RunInHand, listener: GraphListener): RunningGraph {
    const ended = Promise.withResolvers<RunEnd>();
    let asked: 'cancel' | 'drain' | undefined;
    let isSent = false;
    let send = (_op: 'cancel' | 'drain'): void => {};
    const ask = (op: 'cancel' | 'drain') => {
      if (asked === undefined && !isSent) ended.resolve({ kind: op === 'cancel' ? 'cancelled' : 'drained' });
      asked = op;
      send(op);
    };
    void this.#session.then(
      (session) => {
        // It ended before there was a process to run it.
        if (asked !== undefined) return;
        isSent = true;
        const id = session.open('stream', streamArgs(run), {
          onFrame: (one) => {
            const end = runEndOf(one);
            if (end !== undefined) {
              session.close(id);
              ended.resolve(end);
            } else if (one.header.e === '__step__') listener.onStep();
            else listener.onEvent(one.header.e, one.body.toString());
          },
          onLost: (reason) => ended.resolve({ kind: 'lost', reason }),
        });
        send = (op) => session.signal(id, op);
      },
      (error: unknown) => ended.resolve({ kind: 'lost', reason: String(error) }),
    );
    return { ended: ended.promise, cancel: () => ask('cancel'), drain: () => ask('drain') };
  }

  /** The process that runs, or the next one; a start that fails again and again is not waited for. */
  async #within(milliseconds: number): Promise<WorkerSession> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new WorkerLostError('another is not ready yet')), milliseconds);
    });
    try {
      return await Promise.race([this.#session, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Starts another process for as long as the server runs. */
  async #keep(first: WorkerSession): Promise<void> {
    let session = first;
    for (;;) {
      const reason = await session.ended;
      this.#isUp = false;
      const next = Promise.withResolvers<WorkerSession>();
      next.promise.catch(() => {});
      this.#session = next.promise;
      for (const listener of this.#lost) listener(reason);
      const started = await this.#restart();
      if (started === undefined) return next.reject(new WorkerLostError('the server stops'));
      session = started;
      this.#isUp = true;
      next.resolve(session);
    }
  }

  async #restart(): Promise<WorkerSession | undefined> {
    for (let waitMs = RESTART_MS.first; !this.#isStopped; waitMs = Math.min(waitMs * 2, RESTART_MS.last)) {
      const session = new WorkerSession(this.#command);
      this.#newest = session;
      try {
        this.#hello = await session.hello;
        return session;
      } catch (error) {
        this.#command.say(
          `The worker cannot be started again: ${String(error)}. The next try is in ${waitMs} ms.`,
        );
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
    return undefined;
  }
}

/** Documents of users go through as they are. */
function streamArgs(run: RunInHand): Json {
  const { kwargs, metadata, ...ids } = run;
  const fields = {
    run_id: ids.runId,
    thread_id: ids.threadId,
    assistant_id: ids.assistantId,
    graph_id: ids.graphId,
    build_id: ids.buildId,
    revision_id: ids.revisionId,
    attempt: ids.attempt,
    owner: ids.owner,
    epoch: ids.epoch,
  };
  return `${JSON.stringify(fields).slice(0, -1)},"kwargs":${kwargs},"metadata":${metadata}}`;
}
