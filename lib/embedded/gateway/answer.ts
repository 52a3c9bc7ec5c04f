import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

export type Result = APIGatewayProxyStructuredResultV2;

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
    ...headers,
    ...(hasBody(result) && { 'content-length': body.length }),
  });
  response.end(body);
}

const hasBody = ({ statusCode = 200 }: Result): boolean => statusCode !== 204 && statusCode !== 304;

/** What API Gateway answers by itself. */
export function sendGatewayError(response: ServerResponse, statusCode: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // Closing on a client that is still sending would lose it the answer; what it sends is read to its end and dropped.
  const headers = response.req.complete ? { connection: 'close' } : {};
  response.writeHead(statusCode, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ message }));
}
