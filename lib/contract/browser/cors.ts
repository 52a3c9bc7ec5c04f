import type { RouteRow } from '../routes/route.ts';
import { IGNORED_HEADER } from '../validation/ignored-fields.ts';
import { VERSION_HEADER } from '../version.ts';

/**
 * What pages of other origins may ask and read. Keys travel in headers that pages set themselves, never in
 * cookies, so an origin is given nothing that it has not. API Gateway is set up with this; the embedded
 * gateway answers by it.
 */
export const corsRequestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-Api-Key',
  'X-Tenant-Id',
] as const;

export const corsResponseHeaders = [
  'ETag',
  'Idempotent-Replayed',
  'Retry-After',
  'X-Request-Id',
  IGNORED_HEADER,
  VERSION_HEADER,
] as const;

/** A browser need not ask again for so long. */
export const CORS_MAX_AGE_SECONDS = 3600;

/** The methods of the routes. */
export const corsMethods = (rows: readonly Pick<RouteRow, 'method'>[]): string[] =>
  [...new Set<string>(rows.map(({ method }) => method))].toSorted();
