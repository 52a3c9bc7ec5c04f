import { maxHeaderSize, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RELEASE_VERSION } from '../../contract/version.ts';
import type { Result } from '../../http/exchange.ts';
import type { NamedRefusal } from '../../serving/admission.ts';

/** The headers of a result, cookies as repeated headers. */
export function resultHeaders(result: Result): Record<string, string | string[]> {
  const headers = Object.fromEntries(
    Object.entries(result.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const cookies = result.cookies ?? [];
  return cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies };
}

export function resultBody(result: Result): Buffer {
  return Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
}

/** Sends what a handler returned. Without a content type a body is JSON, as API Gateway has it. */
export function sendResult(response: ServerResponse, result: Result): void {
  const body = resultBody(result);
  const headers = resultHeaders(result);
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  response.writeHead(result.statusCode ?? 200, {
    ...(body.length > 0 && !named && { 'content-type': 'application/json' }),
    // The answer to HEAD says itself how long it would be.
    ...(hasBody(result) && { 'content-length': body.length }),
    ...headers,
  });
  response.end(body);
}

/** Sends a body as it comes. One that fails ends the connection, so that nobody takes a part for the whole. */
export async function sendStream(
  response: ServerResponse,
  result: Result,
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  if (response.destroyed) return stream.cancel();
  response.writeHead(result.statusCode ?? 200, resultHeaders(result));
  response.flushHeaders();
  await pipeline(Readable.fromWeb(stream), response, { signal }).catch(() => response.destroy());
}

const hasBody = ({ statusCode = 200 }: Result): boolean => statusCode !== 204 && statusCode !== 304;

type Refused = { statusCode: number; reason: string; code: string; detail: string };

/** What a connection is told whose bytes are no request. */
const refusedBytes: Record<string, Refused> = {
  HPE_HEADER_OVERFLOW: {
    statusCode: 431,
    reason: 'Request Header Fields Too Large',
    code: 'headers_too_large',
    detail: `The address and the headers of this request have more than ${maxHeaderSize} bytes together; send a shorter address, or fewer headers.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    statusCode: 408,
    reason: 'Request Timeout',
    code: 'request_timeout',
    detail: 'The headers of this request did not come to their end in time. Send the request again.',
  },
};
const noRequest: Refused = {
  statusCode: 400,
  reason: 'Bad Request',
  code: 'malformed_request',
  detail: 'These bytes are no HTTP request.',
};

/** Answers what could not be read as a request, and closes its connection. */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { statusCode, reason, code, detail } = refusedBytes[error.code ?? ''] ?? noRequest;
  const body = JSON.stringify({ detail, code });
  const headers = [
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `x-slipway-version: ${RELEASE_VERSION}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`HTTP/1.1 ${statusCode} ${reason}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}

/** What this gateway has to say of a request and API Gateway would not: as handlers say it. */
export function sendProblem(response: ServerResponse, { status, code, detail }: NamedRefusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ detail, code }));
}

/** Refuses a request whose body may not have been read to its end. */
export function sendGatewayError(response: ServerResponse, { status, code, detail }: NamedRefusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // Closing on a client that is still sending would lose it the answer; what it sends is read to its end and
  // dropped.
  const headers = response.req.complete ? { connection: 'close' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ detail, code }));
}
