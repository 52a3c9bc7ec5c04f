import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../http/exchange.ts';
import { resultHeaders } from './answer.ts';

/**
 * After an empty answer; handlers that follow wait for entries themselves, so this only keeps an eager one
 * from spinning.
 */
const PAUSE_MILLISECONDS = 250;

export function isEventStream(result: Result): boolean {
  const type = Object.entries(result.headers ?? {}).find(
    ([name]) => name.toLowerCase() === 'content-type',
  )?.[1];
  return (result.statusCode ?? 200) === 200 && String(type ?? '').startsWith('text/event-stream');
}

/** The last `id:` in a text of server-sent events. */
export function lastEventId(text: string): string | undefined {
  return [...text.matchAll(/^id: ?(.*)$/gm)].at(-1)?.[1];
}

/** Whether a text of server-sent events says that nothing follows. */
const isEnd = (text: string): boolean => /^event: ?end$/m.test(text);

/**
 * Keeps the connection open and sends one answer after the other: each further one asks for what comes after
 * the last event sent, as a client that reconnects would. Ends when `ended` aborts (the client has left, or
 * the gateway closes), an answer says `end`, or it is no stream of events any more.
 */
export async function sendEventStream(
  response: ServerResponse,
  first: Result,
  next: (lastId: string | undefined) => Promise<Result>,
  ended: AbortSignal,
): Promise<void> {
  response.writeHead(200, resultHeaders(first));
  response.flushHeaders();
  let lastId: string | undefined;
  let result = first;
  while (!ended.aborted && isEventStream(result)) {
    const body = result.body ?? '';
    const id = lastEventId(body);
    // The `retry:` line of an answer without events is sent once, at the beginning.
    const isLast = isEnd(body);
    const isNew = id !== undefined && id !== lastId;
    if (isNew || isLast || result === first) await write(response, body, ended);
    if (isLast) break;
    lastId = id ?? lastId;
    if (!isNew) await delay(PAUSE_MILLISECONDS, undefined, { signal: ended }).catch(() => undefined);
    const following = ended.aborted ? undefined : await unlessAborted(next(lastId), ended);
    if (following === undefined) break;
    result = following;
  }
  response.end();
}

/**
 * What the work gives, or undefined as soon as `signal` aborts: a handler that waits for entries then ends by
 * itself, unheard.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const settled = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
    work.catch(() => undefined);
  }
}

/** Waits while the client is slower than we are. */
async function write(response: ServerResponse, text: string, ended: AbortSignal): Promise<void> {
  if (text === '' || response.write(text) || ended.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done);
      ended.removeEventListener('abort', done);
      resolve();
    };
    response.once('drain', done);
    ended.addEventListener('abort', done);
  });
}
