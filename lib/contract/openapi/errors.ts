import * as z from 'zod';
import { type ErrorCode, errors, VALIDATION_CODE } from '../errors.ts';
import { type RouteRow, readsBody, takesIdempotencyKey } from '../routes/route.ts';

/** Bodies of refusals. */
export const errorBody = z.object({
  detail: z.string(),
  code: z.string(),
  /** Where clients of OAuth ask: its own name of the error, and `detail` once more. */
  error: z.string().optional(),
  error_description: z.string().optional(),
});

/** What API Gateway answers by itself, before any function of ours is asked. */
export const gatewayErrorBody = z.object({ message: z.string() });

export const validationItem = z.object({
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  type: z.string(),
  input: z.unknown().optional(),
  ctx: z.record(z.string(), z.unknown()).optional(),
});
export const validationErrorBody = z.object({
  detail: z.array(validationItem),
  code: z.literal(VALIDATION_CODE),
});

/** What API Gateway may answer in our place; ours have other bodies. */
export const gatewayStatuses: ReadonlySet<number> = new Set([413, 429, 503]);

const whereKeysAreAsked = [
  'unauthenticated',
  'tenant_required',
  'tenant_forbidden',
  'membership_missing',
  'membership_none',
  'permission_missing',
  'unavailable',
] as const satisfies ErrorCode[];
/** Of programs that hold no key. */
const whereSignaturesAreAsked = [
  'unauthenticated',
  'body_too_large',
  'unavailable',
] as const satisfies ErrorCode[];
const whereBodiesAreRead = ['body_too_large', 'media_type'] as const satisfies ErrorCode[];

/** Whether a request usually has a body that is read. */
const expectsBody = (row: RouteRow): boolean =>
  row.method !== 'GET' && row.method !== 'DELETE' && readsBody(row);

/** What a route refuses by its kind, whatever its use case is. */
export function commonErrors(row: RouteRow): ErrorCode[] {
  if (row.page !== undefined) return [];
  return [
    ...(validates(row) ? (['not_utf8'] as const) : []),
    ...(expectsBody(row) ? whereBodiesAreRead : []),
    ...(row.permission === 'public' ? [] : whereKeysAreAsked),
    ...(row.permission === 'public' && row.access.length > 0 ? (['unavailable'] as const) : []),
    ...(row.rawBody === undefined ? [] : whereSignaturesAreAsked),
    ...(row.permission === 'listener:work' ? (['listener_forbidden'] as const) : []),
    ...(takesIdempotencyKey(row) ? (['idempotency_mismatch', 'idempotency_under_way'] as const) : []),
    'internal',
  ];
}

/** Everything a route may refuse with, but 422. */
export const errorCodesOf = (row: RouteRow): ErrorCode[] => [
  ...new Set([...(row.errors ?? []), ...commonErrors(row)]),
];

/**
 * Stands for a value in a text: `{id}`. A list of one, so that texts that join lists can be made with it as
 * well.
 */
const placeholder = (name: string): unknown => [`{${name}}`];

/** The text of a refusal with the names of its values in their places: `Deployment ID {id} not found.` */
export function errorTextOf(code: ErrorCode): string {
  const values = new Proxy({}, { get: (_, name) => placeholder(String(name)) });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each text takes values of its own; the placeholder stands for any of them
  const detail = errors[code].detail as (values: object) => unknown;
  return String(detail(values));
}

/** Whether a route can answer 422: it has input to validate. */
export const validates = (row: RouteRow): boolean =>
  row.page === undefined && (row.params !== undefined || row.query !== undefined || expectsBody(row));
