import { type ClientRequest, request as httpRequest } from 'node:http';
import { passAnswer } from './answer.ts';
import { type Attempt, hasBody, isAnswer, isIdempotent, type Trying } from './attempt.ts';
import { requestHeaders } from './headers.ts';

/**
 * Sends the body only once there is a connection: a refused one leaves it untouched, to be sent elsewhere.
 */
function sendBody({ request, exchange }: Trying, upstream: ClientRequest, onSent: () => void): void {
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

/** Sends a request over a connection of its own, which no earlier request has left for its server to close. */
export function tryOnce(trying: Trying): Promise<Attempt> {
  const { request, response, target, to } = trying;
  const idempotent = isIdempotent(request);
  return new Promise((resolve) => {
    let connected = false;
    let bodySent = false;
    const upstream = httpRequest({
      host: target.where.host,
      port: target.where.port,
      method: request.method,
      path: to.path,
      headers: requestHeaders(request, to),
      agent: false,
    });
    const over = (result: Attempt) => {
      response.off('close', abort);
      resolve(result);
    };
    const abort = () => {
      upstream.destroy();
      over({ kind: 'done' });
    };
    response.once('close', abort);
    upstream.once('socket', (socket) =>
      socket.once('connect', () => {
        connected = true;
      }),
    );
    const refuse = (problem: string) => {
      over({ kind: 'failed', problem });
      upstream.destroy();
    };
    upstream.once('response', (incoming) => {
      // It was refused meanwhile, for its body had stopped.
      if (response.headersSent) return abort();
      const { statusCode: status = 0, statusMessage: words, rawHeaders: flat } = incoming;
      if (!isAnswer(status)) return refuse(`it sent the status ${status}`);
      const answer = passAnswer(trying, { status, words, flat });
      incoming.once('error', () => answer.breakOff());
      incoming.once('close', () => over({ kind: 'done' }));
      incoming.on('data', (part: Buffer) => {
        if (!answer.write(part)) incoming.pause();
      });
      response.on('drain', () => incoming.resume());
      incoming.once('end', () => answer.end());
    });
    upstream.once('upgrade', () => refuse('it changed to another protocol, which was not asked for'));
    upstream.on('error', ({ message: problem }) => {
      request.unpipe(upstream);
      const repeatable = !bodySent && (idempotent || !connected) && !response.headersSent;
      over(repeatable ? { kind: 'again', problem, wasConnected: connected } : { kind: 'failed', problem });
    });
    sendBody(trying, upstream, () => {
      bodySent = true;
    });
  });
}
