import { request as httpRequest, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Exchange } from './exchange.ts';
import {
  CLOSED_PATH,
  type Forwarded,
  HOLD_MILLISECONDS,
  isAnswer,
  noServer,
  reasonPhrase,
} from './forward.ts';
import { responseHeaders, upgradeHeaders } from './headers.ts';
import type { ProxyTarget } from './target.ts';

function head(status: number, message: string | undefined, flat: string[]): string {
  const lines = [`HTTP/1.1 ${status} ${message || STATUS_CODES[status] || ''}`];
  for (let at = 0; at + 1 < flat.length; at += 2) lines.push(`${flat[at]}: ${flat[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * Whether a request is for a WebSocket. Any other upgrade would be a tunnel to the server behind, past what
 * this proxy says of requests; such a request is passed on without it, as HTTP allows.
 */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody;
}

/** Answers an upgrade request that is not upgraded, and hangs up. */
export function refuseUpgrade(socket: Duplex, status: number, detail: string): void {
  const body = JSON.stringify({ detail });
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))];
  if (status === 503) headers.push('Retry-After', '2');
  socket.end(head(status, undefined, [...headers, 'Connection', 'close']) + body);
}

function join(client: Duplex, server: Duplex, exchange: Exchange): void {
  client.on('data', (part: Buffer) => exchange.received(part.length));
  server.on('data', (part: Buffer) => exchange.sent(part.length));
  const ends: [Duplex, Duplex][] = [
    [client, server],
    [server, client],
  ];
  for (const [from, to] of ends) {
    from.pipe(to);
    from.once('error', () => to.destroy());
    from.once('close', () => to.destroy());
  }
}

type Asked = { request: IncomingMessage; early: Buffer; to: Forwarded; exchange: Exchange };

function connect({ request, early, to, exchange }: Asked, client: Duplex, target: ProxyTarget): void {
  const leave = target.enter();
  exchange.goTo(target.traffic);
  client.once('close', leave);
  const upstream = httpRequest({
    host: target.where.host,
    port: target.where.port,
    method: request.method,
    path: to.path,
    headers: upgradeHeaders(request, to),
    agent: false,
  });
  client.once('close', () => upstream.destroy());
  upstream.once('upgrade', (incoming, server, first) => {
    const flat = responseHeaders(incoming, { request, to, target }, ['connection', 'upgrade']);
    client.write(head(101, reasonPhrase(incoming), flat));
    exchange.answered(101, true);
    if (first.length > 0) client.write(first);
    if (early.length > 0) server.write(early);
    exchange.sent(first.length);
    exchange.received(early.length);
    join(client, server, exchange);
  });
  upstream.once('response', (incoming) => {
    const { statusCode = 502 } = incoming;
    if (!isAnswer(incoming)) return void upstream.destroy(new Error(`it sent the status ${statusCode}`));
    const flat = [...responseHeaders(incoming, { request, to, target }), 'Connection', 'close'];
    client.write(head(statusCode, reasonPhrase(incoming), flat));
    exchange.answered(statusCode);
    incoming.on('data', (part: Buffer) => exchange.sent(part.length));
    incoming.once('close', () => {
      if (incoming.complete) return;
      exchange.failed();
      client.destroy();
    });
    incoming.pipe(client);
  });
  upstream.once('error', (error) => {
    const detail = `Deployment '${to.route.name}' did not answer: ${error.message}.`;
    exchange.answered(502);
    if (client.writable) refuseUpgrade(client, 502, detail);
    else client.destroy();
  });
  upstream.end();
}

/** Passes a connection upgrade (WebSocket) on; the bytes of both sides flow through until either hangs up. */
export async function forwardUpgrade(
  request: IncomingMessage,
  client: Duplex,
  early: Buffer,
  to: Forwarded,
): Promise<void> {
  const exchange = new Exchange(to.route.traffic);
  client.once('close', () => exchange.end());
  const refuse = (status: number, detail: string): void => {
    exchange.answered(status);
    refuseUpgrade(client, status, detail);
  };
  const target = await to.route.waitForTarget(HOLD_MILLISECONDS);
  if (client.destroyed) return;
  if (target === undefined) refuse(503, noServer(to.route));
  else if (target.isClosed(to.path)) refuse(404, CLOSED_PATH);
  else connect({ request, early, to, exchange }, client, target);
}
