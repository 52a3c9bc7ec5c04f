import { Obstacle } from '../explain.ts';
import { exactJson } from './exact-json.ts';

/** A server that speaks the API of LangGraph, and what its requests carry. */
export type AgentServer = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** `body`: parsed, with every number as it was written. */
export type Answer = { readonly status: number; readonly body: unknown };

/** A thread of a long conversation takes a while to be read, and to be written again. */
const TIMEOUT_MILLISECONDS = 300_000;

/** Throws `Obstacle` when nothing answers. */
export async function ask(
  { url, headers }: AgentServer,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(sent !== undefined && { 'content-type': 'application/json' }) },
      ...(sent !== undefined && { body: sent }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : exactJson(text) };
  } catch (error) {
    throw new Obstacle(`${url} does not answer ${method} ${path}: ${causeOf(error)}.`);
  }
}

/** The answer of a request that must be answered well. Throws `Obstacle` with what the server says. */
export async function need(
  server: AgentServer,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await ask(server, method, path, body);
  if (answer.status >= 400) throw new Obstacle(`${method} ${server.url}${path}: ${saidBy(answer)}`);
  return answer.body;
}

const SHOWN_CHARACTERS = 300;

export const saidBy = ({ status, body }: Answer): string =>
  `${status} ${JSON.stringify(body ?? '').slice(0, SHOWN_CHARACTERS)}`;

const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
