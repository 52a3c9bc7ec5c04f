import { addressOf } from '../logic/address.ts';
import { eventsIn } from '../logic/event-stream.ts';
import { ask, Refusal, renewing } from './api.ts';
import type { LogEntry } from './contract.ts';
import { PREFIX } from './place.ts';
import { credentials, forget } from './session.ts';

export type LogType = 'build' | 'deploy';
export type LogFilters = { type: LogType; level: string; query: string };
export type LogPlace = { deploymentId: string; revisionId: string };

const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
const PAGE_LINES = 1_000;
const PAUSE_MILLISECONDS = 1_000;
/** Somebody else follows already, or the service is busy. */
const LONG_PAUSE_MILLISECONDS = 10_000;

const paramsOf = ({ deploymentId, revisionId }: LogPlace) => ({
  deployment_id: deploymentId,
  revision_id: revisionId,
});

/** A page of lines, oldest first, and the offset of what lies beyond it in the direction of reading. */
export async function readLog(
  place: LogPlace,
  { type, level, query }: LogFilters,
  at: { order: 'asc' | 'desc'; offset?: string | undefined; from?: number | undefined; limit?: number },
  signal?: AbortSignal,
): Promise<{ lines: LogEntry[]; next: string | null }> {
  const limit = at.limit ?? PAGE_LINES;
  const start = at.from === undefined ? undefined : new Date(at.from).toISOString();
  const asked = { type, level, query, order: at.order, limit, offset: at.offset };
  const bound = at.order === 'asc' ? { start_time: start } : { end_time: start };
  const { logs, next_offset } = await ask(
    LOGS,
    { params: paramsOf(place), query: { ...asked, ...bound } },
    signal,
  );
  return { lines: at.order === 'asc' ? logs : logs.toReversed(), next: next_offset };
}

const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * Hands over each line that comes after the one with the id `after`, until `signal` aborts or the log has
 * ended. An answer that ends before is asked for again from the last line on, so nothing is missed and
 * nothing comes twice.
 */
export async function followLog(
  place: LogPlace,
  filters: LogFilters,
  after: string | undefined,
  {
    signal,
    onLines,
    onState,
  }: { signal: AbortSignal; onLines: (lines: LogEntry[]) => void; onState: (problem?: Error) => void },
): Promise<void> {
  let last = after;
  while (!signal.aborted) {
    try {
      const response = await open(place, filters, last, signal);
      onState();
      const heard = await hear(response, onLines);
      if (heard.isEnd) return;
      last = heard.last ?? last;
      await wait(PAUSE_MILLISECONDS, signal);
    } catch (error) {
      if (signal.aborted) return;
      onState(error instanceof Error ? error : new Error(String(error)));
      if (error instanceof Refusal && error.status === 401) return;
      await wait(LONG_PAUSE_MILLISECONDS, signal);
    }
  }
}

async function open(
  place: LogPlace,
  { type, level, query }: LogFilters,
  last: string | undefined,
  signal: AbortSignal,
) {
  const parts = { params: paramsOf(place), query: { type, level, query, limit: PAGE_LINES } };
  const headers = () => ({
    ...credentials(),
    Accept: 'text/event-stream',
    ...(last !== undefined && { 'Last-Event-ID': last }),
  });
  const address = PREFIX + addressOf(LOGS, parts);
  const response = await renewing(() =>
    fetch(address, { headers: headers(), signal, cache: 'no-store' }),
  ).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Refusal(0, undefined, null);
  });
  if (response.status === 401) forget();
  if (!response.ok)
    throw new Refusal(
      response.status,
      await response.json().catch(() => undefined),
      response.headers.get('X-Request-Id'),
    );
  return response;
}

/** Gives the id of the last line, if there was one, and whether the log has ended. */
async function hear(
  { body }: Response,
  onLines: (lines: LogEntry[]) => void,
): Promise<{ last?: string | undefined; isEnd: boolean }> {
  if (body === null) return { isEnd: false };
  let [text, last]: [string, string | undefined] = ['', undefined];
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { last, isEnd: false };
    const { data, rest, isEnd } = eventsIn(text + value);
    text = rest;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each event is an entry of the answer's schema
    const lines = data.map((each) => JSON.parse(each) as LogEntry);
    last = lines.at(-1)?.id ?? last;
    if (lines.length > 0) onLines(lines);
    if (isEnd) return { last, isEnd };
  }
}

/** The whole log as text, however long, a page at a time. */
export async function wholeLog(
  place: LogPlace,
  type: LogType,
  onCount: (lines: number) => void,
): Promise<Blob> {
  const parts: string[] = [];
  let offset: string | undefined;
  for (let count = 0; ; ) {
    const page = await readLog(place, { type, level: '', query: '' }, { order: 'asc', offset });
    for (const { timestamp, level, message } of page.lines)
      parts.push(`${new Date(timestamp).toISOString()} ${level} ${message}\n`);
    count += page.lines.length;
    onCount(count);
    if (page.lines.length < PAGE_LINES || page.next === null) return new Blob(parts, { type: 'text/plain' });
    offset = page.next;
  }
}
