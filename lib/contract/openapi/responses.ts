import { type ErrorCode, errors, VALIDATION_CODE } from '../errors.ts';
import { type RouteRow, takesIdempotencyKey } from '../routes/route.ts';
import { IGNORED_HEADER } from '../validation/ignored-fields.ts';
import { VERSION_HEADER } from '../version.ts';
import type { Components } from './components.ts';
import {
  errorBody,
  errorCodesOf,
  errorTextOf,
  gatewayErrorBody,
  gatewayStatuses,
  validates,
  validationErrorBody,
} from './errors.ts';
import { exampleOf } from './examples/index.ts';
import type { JsonSchema } from './json-schema.ts';
import { headerNamesOf, mayBeUnchanged } from './parameters.ts';

/** What every status means, in few words. */
const meanings: Record<number, string> = {
  200: 'Done',
  201: 'Made',
  202: 'Asked for; it is done later',
  204: 'Done; there is nothing to say',
  207: 'Done in part; each result says whether it was',
  302: 'There: `Location`',
  303: 'Go on there: `Location`',
  304: 'Unchanged since the version of `If-None-Match`',
  307: 'Nothing yet; ask again there: `Location`',
  400: 'The request contradicts itself or what is there',
  401: 'No valid key',
  403: 'The key does not allow this',
  404: 'Not there, or not yours',
  409: 'The state of things forbids it',
  410: 'Finished, or its time is over',
  412: 'Another version than that of `If-Match`',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'The request is not valid; every problem at once',
  429: 'Too many requests',
  431: 'The address and the headers are too long together',
  500: 'Our fault; quote the request id',
  503: 'A dependency is not responding at the moment',
};

/** Headers beside the request id that answers may have, by name. */
const headerDescriptions: Record<string, string> = {
  ETag: 'The version of what is shown.',
  Location: 'Where it leads.',
  'Retry-After': 'Seconds to wait before trying again.',
  'X-Server-Headers': 'The headers of the server’s own answer, as JSON.',
  'X-Server-Status': 'The status of the server’s own answer.',
  'WWW-Authenticate': 'The authentication schemes that are accepted.',
  'X-Request-Id': 'The id of this request; quote it when you report a problem.',
  'Set-Cookie': 'Identifies the browser that started the request, or clears that cookie.',
  [VERSION_HEADER]: 'The version of the installation.',
  [IGNORED_HEADER]:
    'Fields of the body that nothing reads, by their paths: `env, source_config.branch`. At most 20, percent-encoded.',
  'Idempotent-Replayed': '`true`: this is the response to an earlier request with the same key.',
  'Cache-Control': 'How long it may be kept.',
  'Content-Security-Policy': 'What the page may load.',
  'Content-Encoding': 'How the bytes are compressed.',
  'Cross-Origin-Opener-Policy': 'Which other pages may reach the page by script.',
  Vary: 'Which headers of the request the answer depends on.',
  'Referrer-Policy': 'What the browser may send as the referrer.',
  'X-Content-Type-Options': 'Forbids browsers to guess another content type.',
};

/** Every answer of ours has them. */
const EVERYWHERE = ['X-Request-Id', VERSION_HEADER, 'X-Content-Type-Options'];

const headerReferences = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(
    [...EVERYWHERE, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

const json = (schema: JsonSchema, rest: object = {}): JsonSchema => ({
  'application/json': { schema, ...rest },
});

function successContent(row: RouteRow, { reference }: Components): JsonSchema {
  if (row.response === null) return {};
  const { response: example } = exampleOf(row.operation);
  if (row.contentTypes !== undefined) {
    const schemaOf = (type: string) => ({
      schema: { type: type === 'application/json' ? 'object' : 'string' },
    });
    return { content: Object.fromEntries(row.contentTypes.map((type) => [type, schemaOf(type)])) };
  }
  const schema = reference(row.response);
  return {
    content: {
      ...json(schema, { example }),
      // Each event's data is an entry of `logs`.
      ...(row.eventStream && { 'text/event-stream': { schema: { type: 'string' } } }),
    },
  };
}

const ignoredHeaderOf = ({ body, page }: RouteRow): string[] =>
  body !== undefined && page === undefined ? [IGNORED_HEADER] : [];

function success(row: RouteRow, components: Components): Record<string, JsonSchema> {
  const ownHeaders = [
    ...headerNamesOf(row),
    ...(takesIdempotencyKey(row) ? ['Idempotent-Replayed'] : []),
    ...ignoredHeaderOf(row),
    ...(row.page === undefined ? [] : ['Set-Cookie']),
  ];
  const content = { headers: headerReferences(ownHeaders), ...successContent(row, components) };
  const answer = (status: number) => ({ [status]: { description: meanings[status] ?? '', ...content } });
  return {
    ...answer(row.success),
    ...(row.isPartial !== undefined && answer(207)),
    ...(row.leadsOn && answer(307)),
    ...(mayBeUnchanged(row) && { 304: { description: meanings[304], headers: headerReferences(['ETag']) } }),
  };
}

const shapeOf = (code: ErrorCode): { status: number; headers?: Record<string, string> } => errors[code];

const canonical = (name: string): string =>
  Object.keys(headerDescriptions).find((known) => known.toLowerCase() === name) ?? name;

/** The answer with one status: every text that it may come with. `more`: headers beside those of the texts. */
function refusal(
  status: number,
  codes: readonly ErrorCode[],
  { reference }: Components,
  more: readonly string[],
): JsonSchema {
  const ours = reference(errorBody);
  const gateway = reference(gatewayErrorBody);
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: { detail: errorTextOf(code), code } }]),
  );
  const names = codes.flatMap((code) => Object.keys(shapeOf(code).headers ?? {})).map(canonical);
  return {
    description: meanings[status] ?? '',
    headers: headerReferences([...new Set([...names, ...more])]),
    content: json(gatewayStatuses.has(status) ? { anyOf: [ours, gateway] } : ours, { examples }),
  };
}

const invalid = ({ reference }: Components): JsonSchema => ({
  description: meanings[422],
  headers: headerReferences([IGNORED_HEADER]),
  content: json(reference(validationErrorBody), {
    example: {
      detail: [
        {
          loc: ['query', 'limit'],
          msg: 'Input should be less than or equal to 100',
          type: 'less_than_equal',
          input: '1000',
          ctx: { le: 100 },
        },
      ],
      code: VALIDATION_CODE,
    },
  }),
});

/**
 * Said by API Gateway alone: it keeps count of requests, and looks at their headers before any function does.
 */
const fromGateway = (status: number, message: string, { reference }: Components): JsonSchema => ({
  description: meanings[status],
  content: json(reference(gatewayErrorBody), { example: { message } }),
});

/** The embedded gateway says it as handlers say everything. */
const headersTooLong = ({ reference }: Components): JsonSchema => ({
  description: meanings[431],
  content: json(
    { anyOf: [reference(errorBody), reference(gatewayErrorBody)] },
    {
      example: {
        detail: 'The address and the headers of this request have more than 16384 bytes together.',
        code: 'headers_too_large',
      },
    },
  ),
});

/** The headers that answers refer to, by name. */
export const sharedHeaders = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(headerDescriptions).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );

/** What most routes answer in the same words, by the name it has among the components. */
const sharedStatuses: Record<number, { name: string; codes: ErrorCode[] }> = {
  401: { name: 'Unauthenticated', codes: ['unauthenticated'] },
  413: { name: 'TooLarge', codes: ['body_too_large'] },
  415: { name: 'NotJson', codes: ['media_type'] },
  500: { name: 'InternalError', codes: ['internal'] },
  503: { name: 'Unavailable', codes: ['unavailable'] },
};

/** What is refused with these was refused before its body was read. */
const BEFORE_THE_BODY: ReadonlySet<number> = new Set([401, 413, 415]);

/** The answers that routes refer to. */
export const sharedResponses = (components: Components): Record<string, JsonSchema> => ({
  Invalid: invalid(components),
  TooManyRequests: fromGateway(429, 'Too Many Requests', components),
  HeadersTooLong: headersTooLong(components),
  ...Object.fromEntries(
    Object.entries(sharedStatuses).map(([status, { name, codes }]) => [
      name,
      refusal(Number(status), codes, components, BEFORE_THE_BODY.has(Number(status)) ? [] : [IGNORED_HEADER]),
    ]),
  ),
});

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((entry) => b.includes(entry));

const named = (name: string): JsonSchema => ({ $ref: `#/components/responses/${name}` });

function refusalOf(
  row: RouteRow,
  status: number,
  codes: readonly ErrorCode[],
  components: Components,
): JsonSchema {
  const shared = sharedStatuses[status];
  return shared !== undefined && isSame(shared.codes, codes)
    ? named(shared.name)
    : refusal(status, codes, components, ignoredHeaderOf(row));
}

/** What browsers are shown besides: pages that say what went wrong. */
const pagesOf = (row: RouteRow): Record<string, JsonSchema> =>
  Object.fromEntries(
    (row.page?.statuses ?? []).map((status) => [
      status,
      {
        description: meanings[status] ?? '',
        headers: headerReferences([
          'Set-Cookie',
          ...headerNamesOf(row).filter((name) => name !== 'Location'),
        ]),
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    ]),
  );

/** Every answer of a route by its status. */
export function responsesOf(row: RouteRow, components: Components): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(errorCodesOf(row), (code) => errors[code].status as number);
  const refusals = [...byStatus].map(
    ([status, codes]) => [status, refusalOf(row, status, codes, components)] as const,
  );
  return {
    ...success(row, components),
    ...pagesOf(row),
    ...Object.fromEntries(refusals),
    ...(validates(row) && { 422: named('Invalid') }),
    ...(!byStatus.has(429) && { 429: named('TooManyRequests') }),
    431: named('HeadersTooLong'),
  };
}
