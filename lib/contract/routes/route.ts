import type * as z from 'zod';
import type { VariableName } from '../../settings/variable.ts';
import type { Access, ReadAccess } from '../access.ts';
import type { AuditAction } from '../audit.ts';
import type { ErrorCode } from '../errors.ts';
import type { Permission } from '../roles.ts';

/**
 * One row of the route table: everything that is known about an endpoint (CDK, OpenAPI, authorization, the
 * embedded gateway and the tests all read it).
 */
export type RouteRow = Endpoint & (Reader | Writer | SentBack | Follower);

/**
 * The audit events of a request that changed something or was given a credential or a secret; for a route
 * that has none, the reason. A test asks each route for them.
 */
export type Audited = readonly AuditAction[] | { none: string };

/** A GET can be given no action that writes. */
type Reader = { method: 'GET'; access: readonly ReadAccess[]; audit?: Audited };
type Writer = { method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'; access: readonly Access[]; audit: Audited };
/** A GET that writes: a page to which a browser is sent back with something that counts once. `writes`: why. */
type SentBack = {
  method: 'GET';
  access: readonly Access[];
  audit: Audited;
  page: PageAnswers & { writes: string };
};

/** A GET that writes: it holds a connection, and whoever does is counted. `writes`: what. */
type Follower = {
  method: 'GET';
  access: readonly Access[];
  audit: Audited;
  eventStream: StreamedList;
  writes: string;
};

/**
 * The name of the list in the answer, and of the field of its entries that is the `id` of each event. `end`:
 * what the use case gives besides, outside of its schema, once nothing follows any more. `place`: the field
 * of the answer with the id that has been looked through, which may be behind the last entry's.
 */
export type StreamedList = { list: string; id: string; end?: string; place?: string };

/** Statuses of pages beside that of a success. */
type PageAnswers = { statuses: readonly number[] };

type Endpoint = {
  operation: string;
  path: `/${string}`;
  /** The file that exports `create` and `handler`. */
  handler: `functions/api/${string}.ts`;
  /** The nested stack it is deployed in; moving a route later fails, so it is written here once. */
  area: 'core' | 'deployments' | 'listeners' | 'logs' | 'identity' | 'auth';
  /** `public` needs no key. */
  permission: Permission | 'public';
  summary: string;
  success: 200 | 201 | 202 | 204 | 302 | 303;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  response: z.ZodType | null;
  /** What clients got elsewhere and send back here, changed: fields of it are known though nothing reads them. */
  echoes?: z.ZodType;
  /**
   * Not JSON: the use case gives `{contentType, text}`, and the answer is that text, of one of these types.
   */
  contentTypes?: readonly string[];
  /** The body is read by its use case, byte by byte as it came, and may be so large. */
  rawBody?: { sizeBytesMax: number };
  /** For people's browsers: every answer is a page, refusals too, and a body is a form. */
  page?: PageAnswers & { writes?: string };
  /** An answer with a `Location` is a 307 there: to ask again, before a gateway cuts off who waits. */
  leadsOn?: true;
  /**
   * What its own code may refuse with, beside what every route with such a permission and method does; a test
   * reads the code.
   */
  errors?: readonly ErrorCode[];
  /** Whether the output says that a part was not done: then the status is 207. */
  isPartial?(output: unknown): boolean;
  /**
   * Response headers made from what the use case returned (an ETag). As a method, so that a row can name the
   * output it reads.
   */
  headers?(output: unknown): Record<string, string>;
  /** Variables that its function reads beside those of its access. */
  variables?: readonly VariableName[];
  /**
   * The answer of a success holds a credential or a secret: it is kept nowhere, so it says `no-store`, and an
   * `Idempotency-Key` is ignored.
   */
  credential?: true;
  /** With `Accept: text/event-stream` the entries of a list in the answer are sent as server-sent events. */
  eventStream?: StreamedList;
  /**
   * A credential that is good for several tenants need not say which one: it is asked about the credential
   * itself.
   */
  tenantOptional?: true;
  /** The answer has an `ETag` made of its body: a client that polls is told with 304 that nothing changed. */
  hashed?: true;
  /**
   * Its `ETag` counts changes of the configuration, which is all that `If-Match` compares. The rest of the
   * answer changes without it, so that a hash of the whole follows, for `If-None-Match`.
   */
  countsConfiguration?: true;
  /** What a GET writes, and why that is none of what it reads. */
  writes?: string;
};

/**
 * Declares a row, keeping its exact type.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function route<const R extends RouteRow>(row: R): R {
  return row;
}

/**
 * What the function of a row may do: what its use case does, and what finds out who asks. The only tenant of
 * a bearer token that names none is looked up.
 */
export const accessOf = ({
  access,
  permission,
}: Pick<RouteRow, 'access' | 'permission'>): readonly Access[] =>
  permission === 'public' ? access : [...new Set<Access>([...access, 'table:query'])];

/**
 * Whether an `Idempotency-Key` counts: on what changes something, unless the answer is not to be kept.
 * Listeners have leases instead, and git hosts the ids of their deliveries.
 */
export const takesIdempotencyKey = ({ method, permission, access, credential }: RouteRow): boolean =>
  (method === 'POST' || method === 'PATCH') &&
  permission !== 'listener:work' &&
  permission !== 'public' &&
  credential !== true &&
  (access as readonly string[]).includes('table:put');

/**
 * Whether HEAD asks the same as GET, without the body: on what only reads. What holds a connection, uses
 * something up, hands a secret out or is audited is asked by GET alone.
 */
export const answersHead = ({
  method,
  permission,
  page,
  eventStream,
  leadsOn,
  credential,
  writes,
  audit,
}: Pick<
  RouteRow,
  'method' | 'permission' | 'page' | 'eventStream' | 'leadsOn' | 'credential' | 'writes' | 'audit'
>): boolean =>
  method === 'GET' &&
  permission !== 'listener:work' &&
  [page, eventStream, leadsOn, credential, writes, audit].every((each) => each === undefined);

/** A route without its schemas: its path, and what gateways know it by. */
export type RouteKeys = { path: string; keys: readonly string[] };

/** What gateways know a route by: its method and path, and HEAD beside GET. */
export const routeKeysOf = (row: Parameters<typeof answersHead>[0] & Pick<RouteRow, 'path'>): string[] => [
  `${row.method} ${row.path}`,
  ...(answersHead(row) ? [`HEAD ${row.path}`] : []),
];

/**
 * Whether a route reads JSON: what needs no key reads only a body that it declares. Bodies of pages are
 * forms.
 */
export const readsBody = ({ body, permission, page }: RouteRow): boolean =>
  page === undefined && (body !== undefined || permission !== 'public');

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a use case is given: the parsed parts of the request and the few headers that mean something. */
export type RouteInput<R extends RouteRow> = {
  params: Parsed<R['params']>;
  query: Parsed<R['query']>;
  body: Parsed<R['body']>;
  headers: {
    ifMatch?: string;
    ifNoneMatch?: string;
    lastEventId?: string;
    accept?: string;
    acceptEncoding?: string;
    tenantId?: string;
  };
  requestId: string;
  /** The network address that asks. */
  sourceAddress: string;
  /** The address clients reach us at, without a trailing slash. */
  baseUrl: string;
  /** Aborts once who asks has left; absent where nobody can tell. */
  gone?: AbortSignal | undefined;
};

/** What `headers` reads beside the declared response: given by the use case, dropped from the body. */
type ReadForHeaders<R extends RouteRow> = R['headers'] extends (output: infer O) => unknown ? O : unknown;

/**
 * What a use case must return; the chain parses it against the row's schema, so an undeclared field never
 * leaves.
 */
export type RouteOutput<R extends RouteRow> = R['response'] extends z.ZodType
  ? z.input<R['response']> & ReadForHeaders<R>
  : R['headers'] extends (output: infer O) => unknown
    ? O
    : undefined;
