import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpRefusal } from '../../../serving/admission.ts';
import { type Attempt, type Forwarded, isIdempotent, type Trying } from './attempt.ts';
import { preflightAnswer, readableBy } from './cross-origin.ts';
import { Exchange } from './exchange.ts';
import { tryKept } from './kept.ts';
import { tryOnce } from './once.ts';
import type { ProxyRoute } from './route.ts';

/** A crashed server is back within a second or two; so long a request is held instead of being refused. */
export const HOLD_MILLISECONDS = 6000;
/** Between two tries on a target that refuses while it may be on its way out. */
const RETRY_MILLISECONDS = 50;
/** What a client is told to wait before it asks again. */
const RETRY_AFTER_SECONDS = 2;

/** A request that was cut off so often may be what crashes the server: it is not sent again. */
const CUT_OFF_MAX = 2;

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

/**
 * Whether a request may go over a kept connection, which its server may close just as it is used: it can
 * be repeated, nothing says that it has a body, and it is for a path, not for the server as a whole
 * (`OPTIONS *`).
 */
const fitsKept = (request: IncomingMessage, { path }: Forwarded): boolean =>
  isIdempotent(request) &&
  path.startsWith('/') &&
  request.headers['transfer-encoding'] === undefined &&
  request.headers['content-length'] === undefined;

async function attempt(trying: Trying, isKept: boolean): Promise<Attempt> {
  const { target, exchange } = trying;
  const leave = target.enter();
  exchange.goTo(target.traffic);
  return (isKept ? tryKept(trying) : tryOnce(trying)).finally(leave);
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
  // A kept connection only at first: the next may be stale too, and Node reads answers that `undici` refuses.
  for (let cutOff = 0, isKept = fitsKept(request, to); ; isKept = false) {
    const target = await to.route.waitForTarget(deadline - Date.now());
    if (response.destroyed) return;
    if (target === undefined) return refuse(503, noServer(to.route));
    if (target.isClosed(to.path)) return refuse(404, CLOSED_PATH);
    const result = await attempt({ request, response, to, exchange, target }, isKept);
    if (result.kind === 'done') return;
    if (result.kind === 'stale') continue;
    if (result.kind === 'again' && result.wasConnected) cutOff += 1;
    if (result.kind === 'failed' || cutOff > CUT_OFF_MAX || Date.now() >= deadline) {
      return refuse(502, `Deployment '${to.route.name}' did not answer: ${result.problem}.`);
    }
    // A target may be just about to be taken out, so it is tried again after a pause; another one at once.
    if (to.route.target === target) await delay(RETRY_MILLISECONDS);
  }
}
