import {
  type ClaimedCall,
  claimCalls,
  endCall,
  findCall,
  putCall,
  takeOverCalls,
  withdrawCall,
} from '../tables/calls.ts';
import type { Database } from '../tables/database.ts';
import { RefusedError } from '../tables/errors.ts';
import type { Json } from '../tables/rows.ts';
import type { EventHub } from './event-log.ts';
import { type GraphWorker, WorkerFailure, type WorkerOp } from './port.ts';
import type { Server } from './queue-store.ts';

const CALLS_AT_ONCE = 4;
const LOOK_MILLISECONDS = 2_000;

type Deps = { readonly database: Database; readonly hub: EventHub };

/** Answers the calls that servers of other builds make of this one's graphs. */
export class CallDesk {
  readonly #deps: Deps & { readonly server: Server; readonly worker: GraphWorker };
  #answering = 0;
  #isStopped = false;

  constructor(deps: Deps & { readonly server: Server; readonly worker: GraphWorker }) {
    this.#deps = deps;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** How many calls this process answers just now. */
  get answering(): number {
    return this.#answering;
  }

  /** Takes up what is there; rejects when Postgres does not answer. */
  async look(): Promise<void> {
    const { database, server } = this.#deps;
    const free = CALLS_AT_ONCE - this.#answering;
    if (this.#isStopped || free <= 0) return;
    this.#answering += free;
    const calls = await claimCalls(database.query, server, free).finally(() => {
      this.#answering -= free;
    });
    this.#answering += calls.length;
    for (const call of calls) void this.#answer(call);
  }

  /** Takes up what dead servers have left. */
  async takeOver(): Promise<void> {
    await takeOverCalls(this.#deps.database.query);
  }

  async #answer(call: ClaimedCall): Promise<void> {
    const { database, server, worker } = this.#deps;
    try {
      const state = await worker.call(call.op, call.args).then(
        (answer) => ({ status: 'done' as const, answer }),
        (error: unknown) => ({ status: 'failed' as const, answer: failureOf(error) }),
      );
      await endCall(database.query, server, call, state);
    } catch {
      // Postgres is away: the call is made again, or fails, once its lease is over.
    } finally {
      this.#answering -= 1;
    }
    await this.look().catch(() => undefined);
  }
}

const failureOf = (error: unknown): Json =>
  error instanceof WorkerFailure
    ? error.failure
    : JSON.stringify({
        error: error instanceof Error ? error.name : 'Error',
        message: error instanceof Error ? error.message : String(error),
      });

/**
 * Asks the graphs of another build, whose server is started for it if need be. Throws a WorkerFailure as its
 * worker says it, or a RefusedError `call-timeout`.
 */
export async function callBuild(
  { database, hub }: Deps,
  call: { readonly buildId: string; readonly op: WorkerOp; readonly args: Json },
  timeoutMilliseconds: number,
): Promise<Json> {
  const callId = await putCall(database.query, call.buildId, call.op, call.args);
  const watch = hub.watch(callId);
  const until = performance.now() + timeoutMilliseconds;
  try {
    for (;;) {
      const state = await findCall(database.query, callId);
      if (state?.status === 'done' && state.answer !== null) return state.answer;
      if (state === undefined) throw new RefusedError('call-failed', 'the call was removed');
      if (state.status === 'failed' && state.answer !== null) throw new WorkerFailure(state.answer);
      const left = until - performance.now();
      if (left <= 0) throw await timeoutOf(database, callId, call);
      await watch.next(Math.min(left, LOOK_MILLISECONDS));
    }
  } finally {
    watch.end();
  }
}

async function timeoutOf(
  database: Database,
  callId: string,
  { buildId, op }: { readonly buildId: string; readonly op: WorkerOp },
): Promise<RefusedError> {
  const isTaken = await withdrawCall(database.query, callId);
  const where = isTaken ? 'has not answered in time' : 'was not started in time';
  return new RefusedError(
    'call-timeout',
    `The build ${buildId}, whose thread this is, ${where} for '${op}'.`,
  );
}
