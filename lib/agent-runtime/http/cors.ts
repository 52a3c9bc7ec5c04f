import type { IncomingMessage, ServerResponse } from 'node:http';

/** `http.cors` of langgraph.json: which pages may ask this server from a browser. Any may, unless it says otherwise. */
export type Cors = {
  readonly allow_origins?: readonly string[] | undefined;
  readonly allow_methods?: readonly string[] | undefined;
  readonly allow_headers?: readonly string[] | undefined;
  readonly allow_credentials?: boolean | undefined;
  readonly expose_headers?: readonly string[] | undefined;
  readonly max_age?: number | undefined;
};

/** What clients in browsers read of answers. */
const EXPOSED = ['content-location', 'location', 'x-pagination-next', 'x-pagination-total'];
const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';
const MAX_AGE_SECONDS = 600;

/** Lets a page read the answer; true: the request was only the browser's question, and is answered. */
export function answerCors(cors: Cors, request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  const { allow_origins: origins = ['*'], allow_credentials: withCredentials = false } = cors;
  const isAny = origins.includes('*');
  response.setHeader('vary', 'Origin');
  if (isAny || origins.includes(origin)) {
    response.setHeader('access-control-allow-origin', isAny && !withCredentials ? '*' : origin);
    response.setHeader(
      'access-control-expose-headers',
      [...EXPOSED, ...(cors.expose_headers ?? [])].join(', '),
    );
    if (withCredentials) response.setHeader('access-control-allow-credentials', 'true');
  }
  const isQuestion = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
  if (isQuestion) answerQuestion(cors, request, response);
  return isQuestion;
}

function answerQuestion(cors: Cors, { headers }: IncomingMessage, response: ServerResponse): void {
  const asked = headers['access-control-request-headers'] ?? '';
  const allowed = cors.allow_headers?.includes('*') === false ? cors.allow_headers.join(', ') : asked;
  const methods = cors.allow_methods?.includes('*') === false ? cors.allow_methods.join(', ') : METHODS;
  response.writeHead(200, {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allowed,
    'access-control-max-age': String(cors.max_age ?? MAX_AGE_SECONDS),
  });
  response.end();
}
