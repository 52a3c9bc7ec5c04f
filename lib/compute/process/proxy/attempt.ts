import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerHead } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Passed } from './headers.ts';
import type { ProxyRoute } from './route.ts';
import type { ProxyTarget } from './target.ts';

/** A request as the server behind shall see it. */
export type Forwarded = Passed & { route: ProxyRoute };

export type Asked = { request: IncomingMessage; to: Forwarded; exchange: Exchange };

/** One try to have a server answer a request. */
export type Trying = Asked & { response: ServerResponse; target: ProxyTarget };

/** What has become of it. */
export type Attempt =
  | { kind: 'done' }
  /** Nothing of the answer has arrived and the request can be sent once more. */
  | { kind: 'again'; problem: string; wasConnected: boolean }
  /** The same over a connection that an earlier request had left: its server may only have closed that. */
  | { kind: 'stale' }
  | { kind: 'failed'; problem: string };

const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Whether a request may be sent again without doing anything twice. */
export const isIdempotent = ({ method = '' }: IncomingMessage): boolean => IDEMPOTENT.has(method);

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** What some server sends must be an answer to be passed on: Node throws at others, and that would end this process. */
export const isAnswer = (status: number): boolean => status >= 200;

/** The words behind the status, which mean nothing; none when they hold what may not be passed on. */
export const reasonPhrase = (words = ''): string => (/^[\t\x20-\x7e\x80-\xff]*$/.test(words) ? words : '');

/** An answer that goes on for as long as somebody watches. */
export const isEventStream = ({ flat }: Pick<AnswerHead, 'flat'>): boolean =>
  headersIn(flat, 'content-type')?.startsWith('text/event-stream') === true;

/** What headers of this name, which is in small letters, say together; undefined: there is none. */
export function headersIn(flat: readonly string[], name: string): string | undefined {
  let said: string | undefined;
  for (let at = 0; at + 1 < flat.length; at += 2) {
    if (flat[at]?.length !== name.length || flat[at]?.toLowerCase() !== name) continue;
    said = said === undefined ? flat[at + 1] : `${said}, ${flat[at + 1]}`;
  }
  return said;
}
