import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  CORS_MAX_AGE_SECONDS,
  corsRequestHeaders,
  corsResponseHeaders,
} from '../../contract/browser/cors.ts';

export type Cors = {
  /**
   * Origins whose pages may ask; `*` for all, `http://localhost:*` for every port. None: answers say nothing
   * of other origins.
   */
  origins: readonly string[];
  methods: readonly string[];
};

const withoutPort = (origin: string): string => origin.replace(/:\d+$/, '');

const isAllowed = (origins: readonly string[], origin: string): boolean =>
  origins.some(
    (allowed) =>
      allowed === '*' ||
      allowed === origin ||
      (allowed.endsWith(':*') && allowed.slice(0, -2) === withoutPort(origin)),
  );

/**
 * Does for requests of pages what API Gateway does before any route: an allowed origin is told so on every
 * answer, and a preflight is answered here, without a key. Returns true when the request is answered.
 */
export function answerCors(request: IncomingMessage, response: ServerResponse, cors: Cors): boolean {
  const { origin } = request.headers;
  if (cors.origins.length === 0 || origin === undefined) return false;
  const asked = request.headers['access-control-request-method'];
  const isPreflight = request.method === 'OPTIONS' && asked !== undefined;
  const isForAll = cors.origins.includes('*');
  if (!isForAll) response.setHeader('vary', 'Origin');
  if (isAllowed(cors.origins, origin)) {
    response.setHeader('access-control-allow-origin', isForAll ? '*' : origin);
    if (isPreflight) {
      response.setHeader('access-control-allow-methods', cors.methods.join(','));
      response.setHeader('access-control-allow-headers', corsRequestHeaders.join(',').toLowerCase());
      response.setHeader('access-control-max-age', String(CORS_MAX_AGE_SECONDS));
    } else {
      response.setHeader('access-control-expose-headers', corsResponseHeaders.join(',').toLowerCase());
    }
  }
  if (isPreflight) response.writeHead(204).end();
  return isPreflight;
}
