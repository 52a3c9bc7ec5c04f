import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { followEvents, waitForRun } from '../queue/follow.ts';
import { RefusedError } from '../tables/errors.ts';
import { newestEvent } from '../tables/events.ts';
import { objectOf } from '../tables/raw-json.ts';
import type { Json, RunRow } from '../tables/rows.ts';
import { cancelRun } from '../tables/runs.ts';
import { getThread } from '../tables/threads.ts';
import type { Agent } from './agent.ts';
import type { Call } from './request.ts';

type RunIds = Pick<RunRow, 'run_id' | 'thread_id'>;

/** Whoever is between closes a connection that is silent. */
const ALIVE_MILLISECONDS = 5_000;

const pathOf = (run: RunIds): string => `/threads/${run.thread_id}/runs/${run.run_id}`;

/** Where a run is found; `back`: where a client that was cut off goes on. Relative: a proxy may have another name. */
export const locationsOf = (run: RunIds, back?: 'stream' | 'join'): Record<string, string> => ({
  'content-location': pathOf(run),
  ...(back !== undefined && { location: `${pathOf(run)}/${back}` }),
});

export type Following = {
  readonly after: number;
  readonly cancelsOnDisconnect: boolean;
  /** Only events of these modes; undefined: all. */
  readonly modes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** Answers with a run's events as they come. */
export async function streamRun(
  agent: Agent,
  call: Call,
  run: RunIds,
  following: Following,
): Promise<undefined> {
  const { response } = call;
  const { after, modes, headers } = following;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...headers,
  });
  response.flushHeaders();
  using open = openAnswer(agent, call, run, following.cancelsOnDisconnect, ': heartbeat\n\n');
  for await (const { seq, event, data } of followEvents(agent, run.run_id, after, open.signal)) {
    if (modes !== undefined && !isWanted(event, modes)) continue;
    await open.write(`event: ${event}\ndata: ${data}\nid: ${seq}\n\n`);
  }
  open.end('');
  return undefined;
}

/** How the run ends always comes. */
function isWanted(event: string, modes: readonly string[]): boolean {
  const mode = event.split(/[|/]/, 1)[0] ?? event;
  return (
    mode === 'error' || modes.includes(mode) || (mode === 'messages' && modes.includes('messages-tuple'))
  );
}

/** Answers with what a run has come to, when it has ended. White space keeps the connection alive until then. */
export async function answerOutput(
  agent: Agent,
  call: Call,
  run: RunIds,
  { cancelsOnDisconnect, headers }: Pick<Following, 'cancelsOnDisconnect' | 'headers'>,
): Promise<undefined> {
  call.response.writeHead(200, { 'content-type': 'application/json', ...headers });
  call.response.flushHeaders();
  using open = openAnswer(agent, call, run, cancelsOnDisconnect, '\n');
  const ended = await waitForRun(agent, run.run_id, open.signal).catch((error: unknown) => {
    // It was rolled back before anybody could wait for it.
    if (error instanceof RefusedError && error.refusal === 'run-not-found') return undefined;
    throw error;
  });
  if (!open.signal.aborted) open.end(await outputOf(agent, ended));
  else open.end('');
  return undefined;
}

/** Undefined: the run was rolled back, so that nothing is left of it. */
async function outputOf({ database }: Agent, run: RunRow | undefined): Promise<Json> {
  if (run === undefined) return '{}';
  if (run.error !== null) return objectOf([['__error__', run.error]]);
  if (run.output !== null) return run.output;
  return (await getThread(database, run.thread_id)).values ?? '{}';
}

/** The last event that a client has; none named: it wants what comes from now on. */
export async function eventBefore(
  { database, hub }: Agent,
  { request }: Call,
  runId: string,
): Promise<number> {
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') {
    const seq = Number(header);
    return Number.isSafeInteger(seq) ? Math.max(0, seq) : 0;
  }
  const log = hub.logOf(runId);
  const inMemory = log?.after(log.floor).at(-1)?.seq ?? 0;
  return Math.max(inMemory, await newestEvent(database.query, runId));
}

type OpenAnswer = Disposable & {
  /** Aborted when the client is gone, or the server stops. */
  readonly signal: AbortSignal;
  /** Waits until the client has taken most of what was written. */
  write(text: string): Promise<void>;
  /** The end, unless the answer was cut: a client then sees that it is no whole one, and comes back. */
  end(text: string): void;
};

function openAnswer(
  agent: Agent,
  { response }: Call,
  run: RunIds,
  cancels: boolean,
  alive: string,
): OpenAnswer {
  let isOver = false;
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, agent.closing]);
  const timer = setInterval(() => response.write(alive), ALIVE_MILLISECONDS);
  const onClose = (): void => {
    gone.abort();
    // A close by this server itself, when it cannot go on, says nothing of the client.
    if (isOver) return;
    if (cancels && !response.writableFinished && !agent.closing.aborted && !agent.isRetiring())
      cancelGone(agent, run);
  };
  response.once('close', onClose);
  const stop = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  return {
    signal,
    write: async (text) => {
      if (!response.destroyed && !response.write(text)) await roomIn(response, signal);
    },
    end: (text) => {
      stop();
      if (signal.aborted) response.destroy();
      else response.end(text);
    },
    [Symbol.dispose]: stop,
  };
}

async function roomIn(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, 'drain', { signal });
  } catch {
    // The client is gone; whoever follows the signal ends.
  }
}

function cancelGone({ database }: Agent, run: RunIds): void {
  void cancelRun(database, { threadId: run.thread_id, runId: run.run_id }, 'interrupt').catch(
    () => undefined,
  );
}
