import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isNull } from '../tables/raw-json.ts';
import type { Json } from '../tables/rows.ts';
import type { Agent } from './agent.ts';
import { answerCors } from './cors.ts';
import { HttpError, httpErrorOf, lacks } from './errors.ts';
import type { Answer, Call } from './request.ts';
import { type Found, routeFor } from './routes.ts';

/** A larger document would be held several times: as bytes, as text and in the worker. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** The HTTP API that clients of LangGraph speak. */
export function createAgentServer(agent: Agent): Server {
  const server = createServer((request, response) => {
    void serve(agent, request, response);
  });
  // A stream may take as long as a run; only heads and bodies have to come in time.
  server.requestTimeout = 300_000;
  // Longer than a proxy keeps an idle connection: it would send a request into one that is being closed.
  server.keepAliveTimeout = 75_000;
  return server;
}

async function serve(agent: Agent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => undefined);
  try {
    if (answerCors(agent.worker.hello.cors, request, response)) return;
    const answer = await answerTo(agent, request, response);
    if (answer !== undefined) send(response, answer);
  } catch (error) {
    try {
      fail(agent, request, response, error);
    } catch (failure) {
      // Nobody else hears of it, which would end the process with all that runs in it.
      agent.say(`${request.method} ${request.url}: ${textOf(failure)}`);
      response.destroy();
    }
  }
}

async function answerTo(
  agent: Agent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const url = urlOf(request);
  const method = request.method ?? 'GET';
  const found = routeFor(method, url.pathname);
  if (found === undefined) throw notFound(agent, method, url.pathname);
  const body = await readBody(request);
  const user = found.isOpen ? undefined : await authenticate(agent, request, url, found);
  const call: Call = { params: found.params, query: url.searchParams, body, user, request, response };
  return found.handler(agent, call);
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  const parsed = URL.parse(url, 'http://agent');
  if (parsed === null) throw new HttpError(400, 'The path is no path of a URL');
  return parsed;
}

function notFound({ worker }: Agent, method: string, path: string): HttpError {
  if (worker.hello.lacks.includes('http.app'))
    return lacks(`http.app, which may have ${method} ${path.slice(0, 100)}`);
  return new HttpError(404, 'Not Found');
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  let size = 0;
  request.on('data', (part: Buffer) => {
    size += part.length;
    if (size <= BODY_BYTES_MAX) parts.push(part);
    else request.pause();
  });
  await new Promise<void>((resolve, reject) => {
    request.once('end', resolve);
    request.once('pause', () => reject(new HttpError(413, `The body has more than ${BODY_BYTES_MAX} bytes`)));
    request.once('close', () => reject(new HttpError(400, 'The body has not come to its end')));
  });
  return Buffer.concat(parts).toString();
}

/** Who asks; undefined if the project has no authentication of its own. */
async function authenticate(
  { worker }: Agent,
  request: IncomingMessage,
  url: URL,
  { params }: Found,
): Promise<Json | undefined> {
  if (!worker.hello.auth) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct))
    headers[name] = values?.join(', ') ?? '';
  const asked = {
    method: request.method,
    path: url.pathname,
    path_params: params,
    query_params: Object.fromEntries(url.searchParams),
    headers,
  };
  const user = await worker.call('authenticate', JSON.stringify(asked));
  return isNull(user) ? undefined : user;
}

function send(response: ServerResponse, { status = 200, body, type, headers }: Answer): void {
  const length = Buffer.byteLength(body);
  const sized = status === 204 ? {} : { 'content-length': length };
  const typed = { ...sized, ...(body !== '' && { 'content-type': type ?? 'application/json' }) };
  response.writeHead(status, { ...typed, ...headers });
  response.end(body);
}

/** Whoever waits for a stream sees that it is cut; everybody else gets the reason. */
function fail(agent: Agent, request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const known = httpErrorOf(error);
  if (known === undefined) agent.say(`${request.method} ${request.url}: ${textOf(error)}`);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, message, headers } = known ?? new HttpError(500, 'Internal Server Error');
  // A body that was not read to its end stands before the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  send(response, { status, body: JSON.stringify({ detail: message }), headers });
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
