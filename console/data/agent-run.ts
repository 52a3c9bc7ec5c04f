import { parsed, textAt } from '../logic/chat/json.ts';
import type { AgentEvent } from '../logic/chat/run.ts';
import {
  type Assistant,
  assistantsOf,
  type Checkpoint,
  checkpointsOf,
  type Thread,
  threadsOf,
} from '../logic/chat/threads.ts';
import { type AgentPlace, askJson, openJson } from './agent.ts';
import { boundedEvents } from './bounded-events.ts';

/** What the page asks of a server of agents, in the words of LangGraph's HTTP API. */

/** Words as they come, the state after each step, and which node it was. */
const MODES = ['messages-tuple', 'values', 'updates'];
const THREADS_PER_PAGE = 25;
const CHECKPOINTS = 50;
const ASSISTANTS = 200;

export async function listAssistants(place: AgentPlace, signal: AbortSignal): Promise<Assistant[]> {
  return assistantsOf(
    await askJson(place, 'POST', '/assistants/search', { body: { limit: ASSISTANTS }, signal }),
  );
}

/** The schema of what a graph takes; undefined where its server says none. */
export async function inputSchema(
  place: AgentPlace,
  assistant: string,
  signal: AbortSignal,
): Promise<unknown> {
  const schemas = await askJson(place, 'GET', `/assistants/${encodeURIComponent(assistant)}/schemas`, {
    signal,
  });
  return typeof schemas === 'object' && schemas !== null && 'input_schema' in schemas
    ? schemas.input_schema
    : undefined;
}

/** A page of threads, those that changed last first. */
export async function listThreads(place: AgentPlace, offset: number, signal: AbortSignal) {
  const body = { limit: THREADS_PER_PAGE, offset, sort_by: 'updated_at', sort_order: 'desc' };
  const threads = threadsOf(await askJson(place, 'POST', '/threads/search', { body, signal }));
  return { threads, isLast: threads.length < THREADS_PER_PAGE };
}

const threadPath = (id: string): string => `/threads/${encodeURIComponent(id)}`;

export async function makeThread(place: AgentPlace, title: string, signal: AbortSignal): Promise<Thread> {
  const [thread] = threadsOf([
    await askJson(place, 'POST', '/threads', { body: { metadata: { title } }, signal }),
  ]);
  if (thread === undefined) throw new Error('The server made no thread.');
  return thread;
}

export const readState = (place: AgentPlace, id: string, signal: AbortSignal): Promise<unknown> =>
  askJson(place, 'GET', `${threadPath(id)}/state`, { signal });

export async function readHistory(place: AgentPlace, id: string, signal: AbortSignal): Promise<Checkpoint[]> {
  return checkpointsOf(
    await askJson(place, 'POST', `${threadPath(id)}/history`, { body: { limit: CHECKPOINTS }, signal }),
  );
}

/** The run of a thread that goes on now; undefined: none does. */
export async function runningOn(
  place: AgentPlace,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const runs = await askJson(place, 'GET', `${threadPath(id)}/runs?limit=5`, { signal });
  const all: unknown[] = Array.isArray(runs) ? runs : [];
  const running = all.find((run) => ['pending', 'running'].includes(textAt(run, 'status') ?? ''));
  return textAt(running, 'run_id');
}

export const cancelRun = (
  place: AgentPlace,
  thread: string,
  run: string,
  signal: AbortSignal,
): Promise<unknown> =>
  askJson(place, 'POST', `${threadPath(thread)}/runs/${encodeURIComponent(run)}/cancel?action=interrupt`, {
    body: {},
    signal,
  });

export type RunBody = { input?: unknown; command?: unknown; checkpoint?: unknown };

/** Starts a run and follows it. It goes on when this page goes away. */
export async function* startRun(
  place: AgentPlace,
  thread: string,
  { assistant, ...body }: RunBody & { assistant: string },
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const sent = { assistant_id: assistant, ...body, stream_mode: MODES, on_disconnect: 'continue' };
  yield* followed(await openJson(place, 'POST', `${threadPath(thread)}/runs/stream`, { body: sent, signal }));
}

/** Follows a run that is under way. */
export async function* joinRun(
  place: AgentPlace,
  thread: string,
  run: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const query = MODES.map((mode) => `stream_mode=${mode}`).join('&');
  const path = `${threadPath(thread)}/runs/${encodeURIComponent(run)}/stream?${query}`;
  yield* followed(await openJson(place, 'GET', path, { signal }));
}

async function* followed({ body }: { body: Response['body'] }): AsyncGenerator<AgentEvent> {
  for await (const { kind, data } of boundedEvents(body)) if (data !== '') yield { kind, data: parsed(data) };
}
