import { createHash } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RouteRow, StreamedList } from '../contract/routes/route.ts';
import type { Result } from './exchange.ts';
import { withStream } from './streamed.ts';

/** The output of a use case violates its own contract. The log names the field, never the value. */
export class ResponseMismatch extends Error {
  constructor(operation: string, problems: readonly { path: PropertyKey[]; code: string }[]) {
    const places = problems.map(({ path, code }) => `${path.map(String).join('.') || '(all)'}: ${code}`);
    super(`${operation} answered what its schema does not allow: ${places.join(', ')}`);
    this.name = 'ResponseMismatch';
  }
}

function shown(row: RouteRow, output: unknown): unknown {
  const parsed = row.response?.safeParse(output);
  if (parsed === undefined || parsed.success) return parsed?.data;
  throw new ResponseMismatch(
    row.operation,
    parsed.error.issues.map(({ path, code }) => ({ path, code: code ?? 'invalid' })),
  );
}

function statusOf(row: RouteRow, output: unknown, headers: Record<string, string>): number {
  if (row.leadsOn && headers.Location !== undefined) return 307;
  return row.isPartial?.(output) === true ? 207 : row.success;
}

/** True when the client has this version already (RFC 9110 §13.1.2: a weak comparison). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (!ifNoneMatch?.trim() || etag === undefined) return false;
  const strong = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag));
}

// A client that follows asks again half a second after an answer ended: as soon as people notice, no sooner.
const RECONNECT_MILLISECONDS = 500;

// Browsers' own clients of event streams ask again after any end.
const RECONNECT_AFTER_END_MILLISECONDS = 30_000;

const EVENT_STREAM = 'text/event-stream';

export const wantsEventStream = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((type) => type.split(';')[0]?.trim().toLowerCase() === EVENT_STREAM);

/**
 * The entries of a list as server-sent events, each under an id, so that a client that reconnects says what
 * it has seen. The event `end` comes last, once nothing will follow.
 */
function eventStream({ list, id, end, place }: StreamedList, body: unknown, output: unknown): string {
  const entries = entriesOf(body, list);
  const events = entries.map((entry) => `id: ${String(entry[id])}\ndata: ${JSON.stringify(entry)}\n\n`);
  // Without data it is no event: the client only keeps the id, and goes on behind it.
  const behind = place === undefined ? undefined : fieldOf(body, place);
  if (typeof behind === 'number' && behind !== entries.at(-1)?.[id]) events.push(`id: ${behind}\n\n`);
  const ended = end === undefined ? undefined : fieldOf(output, end);
  const last =
    ended === undefined
      ? []
      : [`event: end\nretry: ${RECONNECT_AFTER_END_MILLISECONDS}\ndata: ${JSON.stringify(ended)}\n\n`];
  return [`retry: ${RECONNECT_MILLISECONDS}\n\n`, ...events, ...last].join('');
}

const fieldOf = (output: unknown, name: string): unknown =>
  typeof output === 'object' && output !== null ? new Map(Object.entries(output)).get(name) : undefined;

function entriesOf(output: unknown, list: string): Record<string, unknown>[] {
  const found = fieldOf(output, list);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the row's schema: the list that it streams holds objects
  return Array.isArray(found) ? (found as Record<string, unknown>[]) : [];
}

/** What rows with content types of their own show; their schemas say so. */
type Text = {
  contentType: string;
  text: string;
  /** The text is bytes in base64. */
  isBase64?: boolean;
};

const textAnswer = (
  { success }: RouteRow,
  headers: Record<string, string>,
  { contentType, text, isBase64 = false }: Text,
): Result => ({
  statusCode: success,
  headers: {
    ...headers,
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
  },
  body: text,
  ...(isBase64 && { isBase64Encoded: true }),
});

const HASH_CHARACTERS = 22;

/** A text that is the same as long as the body is. */
const hashOf = (body: string): string =>
  createHash('sha256').update(body).digest('base64url').slice(0, HASH_CHARACTERS);

/**
 * The tags of rows that have theirs made here: of the body alone, or of it behind the count that `If-Match`
 * compares.
 */
function tagOf(
  row: RouteRow,
  { ETag: counted = '' }: Record<string, string>,
  body: string,
): { ETag?: string } {
  if (row.countsConfiguration) return { ETag: counted.replace(/"$/, `.${hashOf(body)}"`) };
  return row.hashed ? { ETag: `"${hashOf(body)}"` } : {};
}

/**
 * The answer of a success: the output through the row's schema, its headers, 304 for a version the client
 * has.
 */
export function successAnswer(row: RouteRow, event: APIGatewayProxyEventV2, output: unknown): Result {
  const own: Record<string, string> = {
    ...(row.credential && { 'Cache-Control': 'no-store' }),
    ...row.headers?.(output),
  };
  if (row.response === null) return { statusCode: row.success, headers: own };
  const body = shown(row, output);
  const text = row.contentTypes === undefined ? JSON.stringify(body) : '';
  const headers: Record<string, string> = { ...own, ...tagOf(row, own, text) };
  if (row.method === 'GET' && isUnchanged(event.headers['if-none-match'], headers.ETag))
    return { statusCode: 304, headers };
  if (row.contentTypes !== undefined)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the schema of a row that answers text
    return withStream(textAnswer(row, headers, body as Text), output);
  if (row.eventStream && wantsEventStream(event.headers.accept)) {
    const streamHeaders = { ...headers, 'content-type': EVENT_STREAM, 'cache-control': 'no-cache' };
    return {
      statusCode: row.success,
      headers: streamHeaders,
      body: eventStream(row.eventStream, body, output),
    };
  }
  return {
    statusCode: statusOf(row, output, headers),
    headers: { ...headers, 'content-type': 'application/json' },
    body: text,
  };
}
