import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { corsMethods } from '../../contract/browser/cors.ts';
import { type ApiError, refuse } from '../../contract/errors.ts';
import type { RouteRow } from '../../contract/routes/route.ts';
import { RELEASE_VERSION, VERSION_HEADER } from '../../contract/version.ts';
import { knownErrorAnswer } from '../../http/errors.ts';
import type { RequestContext, Result } from '../../http/exchange.ts';
import { wantsEventStream } from '../../http/respond.ts';
import { streamOf } from '../../http/streamed.ts';
import { httpRefusalOf, type NamedRefusal } from '../../serving/admission.ts';
import { isLoopbackHost } from '../../serving/hosts.ts';
import { BODY_SILENCE_MILLISECONDS, BODY_SILENT, endSilentBodies } from '../../serving/silent-bodies.ts';
import { refuseBytes, sendGatewayError, sendProblem, sendResult, sendStream } from './answer.ts';
import { answerCors, type Cors } from './cors.ts';
import { clientAddressOf, eventOf, requestTargetOf } from './event.ts';
import { isEventStream, sendEventStream, unlessAborted } from './event-stream.ts';
import { createRouter, type Match } from './router.ts';
import { asksForSocket, type EmbeddedSockets, refuseUpgrade } from './sockets.ts';

/** The largest event that Lambda takes. Handlers have a smaller limit of their own. */
const BODY_BYTES_MAX = 6 * 1024 * 1024;

export type ApiHandler = (event: APIGatewayProxyEventV2, context: RequestContext) => Promise<Result>;

export type GatewayOptions = {
  port: number;
  routes: readonly RouteRow[];
  /**
   * The handler of a row; undefined asks for that of `$default`. Asked once, at the first request for it:
   * most start-ups need few.
   */
  handlerOf: (row: RouteRow | undefined) => Promise<ApiHandler>;
  /** Answers signed URLs under /blobs/; false when the request is not for it. */
  serveBlob: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Answers requests to open a WebSocket; absent: they are answered as any other. */
  upgrade?: EmbeddedSockets['upgrade'];
  /** Pages of which origins may ask; none unless given. */
  corsOrigins?: readonly string[];
  /** Hosts that requests may name beside loopback ones, as `hostNameOf` spells them; none unless given. */
  publicHosts?: readonly string[];
  /** What `X-Forwarded-For` says of where a request comes from counts: it is of a proxy of the operator's. */
  trustProxy?: boolean;
  /** A body without a byte for so long is ended. */
  bodySilenceMilliseconds?: number;
  /** What requests in flight have to end when it closes. */
  closeGraceMilliseconds?: number;
  onError: (error: unknown, what: string) => void;
};

function refusalOf({ status, code, message: detail }: ApiError): NamedRefusal {
  return { status, code, detail };
}

export type Gateway = {
  port: number;
  /** Takes no more requests, gives those in flight a moment, then closes what is left. */
  close(): Promise<void>;
};

/** API Gateway waits so long for a function. */
const HANDLER_MILLISECONDS = 30_000;
const CLOSE_GRACE_MILLISECONDS = 3_000;
/** A slow client may not hold a connection for ever. Bodies may be slow, but not silent. */
const HEADERS_TIMEOUT_MILLISECONDS = 15_000;
const TOO_LARGE = refusalOf(refuse('body_too_large', { sizeBytesMax: BODY_BYTES_MAX }));
const STOPPING = {
  status: 503,
  code: 'unavailable',
  detail: 'The installation is being stopped; try again.',
};
const WAY_OUT = 'It does for localhost, and for the hosts that the variable SLIPWAY_PUBLIC_HOSTS names.';
/**
 * Longer than clients' own idle limits, so that they and not we close a connection that may just be used
 * again.
 */
const KEEP_ALIVE_MILLISECONDS = 65_000;

/** Serves the route table on 127.0.0.1. Rejects when the port is taken (EADDRINUSE). */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = new HttpGateway(options);
  const port = await gateway.listen();
  return { port, close: () => gateway.close() };
}

class HttpGateway {
  readonly #options: GatewayOptions;
  readonly #handlers = new Map<RouteRow | undefined, Promise<ApiHandler>>();
  readonly #route: (method: string, path: string) => Match;
  readonly #cors: Cors;
  readonly #server: Server;
  readonly #closing = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#route = createRouter(options.routes);
    this.#cors = { origins: options.corsOrigins ?? [], methods: corsMethods(options.routes) };
    this.#server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      shouldUpgradeCallback: (request) => options.upgrade !== undefined && asksForSocket(request),
    });
    this.#server.on('clientError', (error, socket) => refuseBytes(error, socket, randomUUID()));
    const silence = options.bodySilenceMilliseconds ?? BODY_SILENCE_MILLISECONDS;
    const refusal = { status: 408, code: 'request_timeout', detail: BODY_SILENT };
    endSilentBodies(this.#server, silence, (response) => sendProblem(response, refusal));
    this.#server.on('request', (request, response) => this.#track(this.#answer(request, response)));
    const { upgrade } = options;
    if (upgrade !== undefined)
      this.#server.on('upgrade', (request, socket, head) => {
        const refused = httpRefusalOf(request, (host) => this.#isServed(host), WAY_OUT);
        if (refused !== undefined) return refuseUpgrade(socket, refused.status);
        const trustProxy = options.trustProxy === true;
        return void upgrade(request, socket, head, trustProxy).catch((error: unknown) => {
          socket.destroy();
          options.onError(error, 'a request to open a socket');
        });
      });
  }

  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, '127.0.0.1', () => {
        const address = this.#server.address();
        if (address === null || typeof address === 'string') reject(new Error('the server has no port'));
        else resolve(address.port);
      });
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await Promise.race([
      Promise.all(this.#inFlight),
      delay(this.#options.closeGraceMilliseconds ?? CLOSE_GRACE_MILLISECONDS, undefined, { ref: false }),
    ]);
    this.#server.closeAllConnections();
    await closed;
  }

  #track(work: Promise<void>): void {
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    // Handlers answer with an id of their own; what this gateway answers by itself has one too.
    const requestId = randomUUID();
    response.setHeader('x-request-id', requestId);
    // Blobs and what this gateway says by itself too.
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader(VERSION_HEADER, RELEASE_VERSION);
    const refusal = httpRefusalOf(request, (host) => this.#isServed(host), WAY_OUT);
    if (refusal !== undefined) return sendProblem(response, refusal);
    try {
      if (await this.#options.serveBlob(request, response)) return;
      if (answerCors(request, response, this.#cors)) return;
      await this.#invokeRoute(request, response);
    } catch (error) {
      const known = knownErrorAnswer(error);
      if (known !== undefined) return sendResult(response, known);
      const what = `${request.method} ${requestTargetOf(request.url ?? '/').rawPath} request_id=${requestId}`;
      this.#options.onError(error, what);
      sendGatewayError(response, refusalOf(refuse('internal', {})));
    }
  }

  #isServed(host: string): boolean {
    return isLoopbackHost(host) || (this.#options.publicHosts ?? []).includes(host);
  }

  async #invokeRoute(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await receiveBody(request);
    if (body === 'gone') return;
    if (body === 'too_large') return sendGatewayError(response, TOO_LARGE);
    const target = requestTargetOf(request.url ?? '/');
    const match = this.#route(request.method ?? 'GET', target.path);
    const clientAddress = clientAddressOf(request, this.#options.trustProxy === true);
    const event = eventOf(request, target, match, body, { now: Date.now(), clientAddress });
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const working = this.#invoke(match, event, gone.signal);
    // One that follows or waits may be at it for long; that holds up no shutdown.
    const isStream = match.row?.eventStream !== undefined && wantsEventStream(request.headers.accept);
    const follows = isStream || match.row?.leadsOn === true;
    const result = follows ? await unlessAborted(working, this.#closing.signal) : await working;
    if (result === undefined) return sendGatewayError(response, STOPPING);
    const stream = streamOf(result);
    if (stream !== undefined) return sendStream(response, result, stream, this.#closing.signal);
    if (response.destroyed) return;
    if (!isEventStream(result)) return sendResult(response, result);
    const following = (lastId: string | undefined) =>
      this.#invoke(match, lastId === undefined ? { ...event } : withLastEventId(event, lastId), gone.signal);
    const ended = AbortSignal.any([gone.signal, this.#closing.signal]);
    await sendEventStream(response, result, following, ended);
  }

  async #invoke(match: Match, event: APIGatewayProxyEventV2, gone: AbortSignal): Promise<Result> {
    const handler = await this.#handlerOf(match.row);
    const name = match.row?.operation ?? 'fallback';
    const context = lambdaContext(name, HANDLER_MILLISECONDS, event.requestContext.requestId);
    return handler(event, { ...context, gone });
  }

  #handlerOf(row: RouteRow | undefined): Promise<ApiHandler> {
    const known = this.#handlers.get(row);
    if (known !== undefined) return known;
    const handler = this.#options.handlerOf(row);
    this.#handlers.set(row, handler);
    return handler;
  }
}

function withLastEventId(event: APIGatewayProxyEventV2, lastId: string): APIGatewayProxyEventV2 {
  return { ...event, headers: { ...event.headers, 'last-event-id': lastId } };
}

/** The whole body; `too_large` as soon as it is known to be, `gone` when the client left before its end. */
function receiveBody(request: IncomingMessage): Promise<Buffer | 'too_large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) {
    // Read to its end and dropped: a client that is still sending would otherwise lose the answer with its
    // connection.
    request.resume();
    return Promise.resolve('too_large');
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve('too_large');
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => resolve('gone'));
    request.once('close', () => resolve('gone'));
  });
}

const notSupported = () => {
  throw new Error('callbacks of old are not supported: return a promise');
};

/** What Lambda passes beside an event: a function may run as long as API Gateway waits for it. */
function lambdaContext(functionName: string, timeoutMilliseconds: number, requestId: string): Context {
  const deadline = Date.now() + timeoutMilliseconds;
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'embedded',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: notSupported,
    fail: notSupported,
    succeed: notSupported,
  };
}
