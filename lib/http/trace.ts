import type { RouteRow } from '../contract/routes/route.ts';
import { RELEASE_VERSION, VERSION_HEADER } from '../contract/version.ts';
import type { Middleware, Result } from './exchange.ts';
import { logger } from './logger.ts';

const markResponse: NonNullable<Middleware['after']> = ({ event, response }) => {
  if (!response) return;
  const names = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  response.headers = {
    ...response.headers,
    ...(!names.includes('x-content-type-options') && { 'x-content-type-options': 'nosniff' }),
    'x-request-id': event.requestContext.requestId,
    [VERSION_HEADER]: RELEASE_VERSION,
  };
  if (event.requestContext.http.method === 'HEAD') withoutBody(response);
};

/** API Gateway sends what a function answers: the length of what GET answers, and nothing of it. */
function withoutBody(response: Result): void {
  const { body = '', isBase64Encoded = false } = response;
  const length = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  response.headers = { ...response.headers, 'content-length': String(length) };
  response.body = '';
}

/**
 * `X-Request-Id` on every answer, errors included: what a person quotes and the log finds. And the version,
 * and `nosniff`, so that no browser takes JSON with a user's text in it for a page.
 */
export const requestId: Middleware = { after: markResponse, onError: markResponse };

export type AccessLogger = {
  debug(message: string, fields: Record<string, unknown>): void;
  info(message: string, fields: Record<string, unknown>): void;
};

/**
 * Routes that clients and listeners call again and again: one line each at INFO would cost more than the
 * work.
 */
const isPolled = (row: Pick<RouteRow, 'method' | 'permission' | 'area'>): boolean =>
  row.method === 'GET' || row.permission === 'listener:work' || row.area === 'logs';

/** One line a request: which operation, by whom, how it ended, how long it took. Identifiers only. */
export function accessLog(row: RouteRow, log: () => AccessLogger = logger): Middleware {
  const write: NonNullable<Middleware['after']> = ({ event, internal, response }) => {
    const { caller, startedAt = performance.now() } = internal;
    const fields = {
      operation: row.operation,
      request_id: event.requestContext.requestId,
      status: response?.statusCode,
      duration_ms: Math.round(performance.now() - startedAt),
      tenant_id: caller?.tenantId,
      key_id: caller?.keyId,
    };
    if (isPolled(row)) log().debug('request', fields);
    else log().info('request', fields);
  };
  return {
    before: ({ internal }) => {
      internal.startedAt = performance.now();
    },
    after: write,
    onError: write,
  };
}
