import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { pause } from '../../../listener/backoff.ts';
import type { HttpRefusal } from '../../../serving/admission.ts';
import { consentOf, preflightAnswer, readableBy } from './cross-origin.ts';
import { Exchange } from './exchange.ts';
import { type Passed, requestHeaders, responseHeaders } from './headers.ts';
import type { ProxyRoute } from './route.ts';
import type { ProxyTarget } from './target.ts';

/** A request as the server behind shall see it. */
export type Forwarded = Passed & { route: ProxyRoute };

/** A crashed server is back within a second or two; so long a request is held instead of being refused. */
export const HOLD_MILLISECONDS = 6000;
/** Between two tries on a target that refuses while it may be on its way out. */
const RETRY_MILLISECONDS = 50;
/** What a client is told to wait before it asks again. */
const RETRY_AFTER_SECONDS = 2;

/** A request that was cut off so often may be what crashes the server: it is not sent again. */
const CUT_OFF_MAX = 2;

const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

export function sendJson(
  response: ServerResponse,
  status: number,
  detail: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
  });
  response.end(JSON.stringify({ detail }));
}

/**
 * Says why no server answers, to pages of other origins as well. `route`: of the deployment that there is.
 */
export function sendAbsence(
  request: IncomingMessage,
  response: ServerResponse,
  { status, detail }: HttpRefusal,
  route?: ProxyRoute,
): void {
  const allowed = preflightAnswer(request, route);
  if (allowed === undefined || response.headersSent)
    return sendJson(response, status, detail, readableBy(request));
  response.writeHead(204, allowed).end();
}

export function noServer(route: ProxyRoute): string {
  return `Deployment '${route.name}' has no running server: ${route.reason}.`;
}

/** What is said of a path that leads to what only the development server of an agent answers. */
export const CLOSED_PATH = 'Not found. This path of the agent server is for its development alone.';

type Attempt =
  | { kind: 'done' }
  /** Nothing of the answer has arrived and the request can be sent once more. */
  | { kind: 'again'; problem: string; wasConnected: boolean }
  | { kind: 'failed'; problem: string };

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Sends the body only once there is a connection: a refused one leaves it untouched, to be sent elsewhere.
 */
function sendBody(
  request: IncomingMessage,
  upstream: ClientRequest,
  exchange: Exchange,
  onSent: () => void,
): void {
  if (!hasBody(request)) return void upstream.end();
  const pipe = () => {
    onSent();
    // Only now: whoever listens makes it flow.
    request.on('data', (part: Buffer) => exchange.received(part.length));
    request.pipe(upstream);
  };
  upstream.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', pipe);
    else pipe();
  });
}

/**
 * What some server sends must be an answer to be passed on: Node throws at others, and that would end this
 * listener.
 */
export function isAnswer({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200;
}

/** The words behind the status, which mean nothing; none when they hold what may not be passed on. */
export function reasonPhrase({ statusMessage = '' }: IncomingMessage): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '';
}

/** An answer that goes on for as long as somebody watches. */
const isEventStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true;

function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  asked: Asked & { target: ProxyTarget },
  onEnd: () => void,
): void {
  const { exchange } = asked;
  const said = consentOf(asked.request, incoming);
  if (said !== undefined) asked.to.route.noteConsent(asked.target, said.origin, said.consent);
  const headers = responseHeaders(incoming, asked);
  response.writeHead(incoming.statusCode ?? 502, reasonPhrase(incoming), headers);
  exchange.answered(response.statusCode, isEventStream(incoming));
  // An event stream's head must not wait for its first event.
  response.flushHeaders();
  // Cut off on the one side is cut off on the other: the client must not take half an answer for a whole one.
  incoming.once('error', () => {
    exchange.failed();
    response.destroy();
  });
  incoming.once('close', onEnd);
  incoming.on('data', (part: Buffer) => exchange.sent(part.length));
  incoming.pipe(response);
}

type Asked = { request: IncomingMessage; to: Forwarded; exchange: Exchange };

function attempt(
  { request, to, exchange }: Asked,
  response: ServerResponse,
  target: ProxyTarget,
): Promise<Attempt> {
  const leave = target.enter();
  exchange.goTo(target.traffic);
  const idempotent = IDEMPOTENT.has(request.method ?? '');
  return new Promise((resolve) => {
    let connected = false;
    let bodySent = false;
    const upstream = httpRequest({
      host: target.where.host,
      port: target.where.port,
      method: request.method,
      path: to.path,
      headers: requestHeaders(request, to),
      // A kept connection may be closed by the server just as it is used; only what can be repeated goes over
      // one.
      agent: idempotent && !hasBody(request) ? target.agent : false,
    });
    const over = (result: Attempt) => {
      response.off('close', abort);
      leave();
      resolve(result);
    };
    const abort = () => {
      upstream.destroy();
      over({ kind: 'done' });
    };
    response.once('close', abort);
    upstream.once('socket', (socket) => {
      connected = !socket.connecting;
      // One that was kept from an earlier request never connects again, and would keep the listener.
      if (connected) return;
      socket.once('connect', () => {
        connected = true;
      });
    });
    const refuse = (problem: string) => {
      over({ kind: 'failed', problem });
      upstream.destroy();
    };
    upstream.once('response', (incoming) => {
      // It was refused meanwhile, for its body had stopped.
      if (response.headersSent) return abort();
      if (isAnswer(incoming))
        answer(incoming, response, { request, to, target, exchange }, () => over({ kind: 'done' }));
      else refuse(`it sent the status ${incoming.statusCode}`);
    });
    upstream.once('upgrade', () => refuse('it changed to another protocol, which was not asked for'));
    upstream.on('error', ({ message: problem }) => {
      request.unpipe(upstream);
      const repeatable = !bodySent && (idempotent || !connected) && !response.headersSent;
      over(repeatable ? { kind: 'again', problem, wasConnected: connected } : { kind: 'failed', problem });
    });
    sendBody(request, upstream, exchange, () => {
      bodySent = true;
    });
  });
}

/**
 * Passes one request on and its answer back, streaming both ways. While there is no server it is held for a
 * few seconds; a connection refused or reset before the answer began is tried again on whatever serves then.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  to: Forwarded,
): Promise<void> {
  const deadline = Date.now() + HOLD_MILLISECONDS;
  const exchange = new Exchange(to.route.traffic);
  response.once('close', () => exchange.end());
  const refuse = (status: number, detail: string): void => {
    if (response.headersSent) exchange.failed();
    sendAbsence(request, response, { status, detail }, to.route);
    exchange.answered(response.statusCode);
  };
  for (let cutOff = 0; ; ) {
    const target = await to.route.waitForTarget(deadline - Date.now());
    if (response.destroyed) return;
    if (target === undefined) return refuse(503, noServer(to.route));
    if (target.isClosed(to.path)) return refuse(404, CLOSED_PATH);
    const result = await attempt({ request, to, exchange }, response, target);
    if (result.kind === 'done') return;
    if (result.kind === 'again' && result.wasConnected) cutOff += 1;
    if (result.kind === 'failed' || cutOff > CUT_OFF_MAX || Date.now() >= deadline) {
      return refuse(502, `Deployment '${to.route.name}' did not answer: ${result.problem}.`);
    }
    // A target may be just about to be taken out, so it is tried again after a pause; another one at once.
    if (to.route.target === target) await pause(RETRY_MILLISECONDS);
  }
}
