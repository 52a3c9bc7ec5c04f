import { type RouteRow, takesIdempotencyKey } from '../routes/route.ts';
import { errorCodesOf } from './errors.ts';
import { isOptional, type JsonSchema, parameterSchema } from './json-schema.ts';
import { parameterNote } from './notes.ts';

type Shape = { shape: Record<string, Parameters<typeof isOptional>[0]> };

function withDescription({ description, ...schema }: JsonSchema): {
  description?: unknown;
  schema: JsonSchema;
} {
  return { ...(description !== undefined && { description }), schema };
}

function pathParameters({ operation, params }: RouteRow): JsonSchema[] {
  return Object.entries((params as Shape | undefined)?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    ...withDescription({ ...parameterSchema(schema), ...parameterNote(operation, name) }),
  }));
}

function queryParameters({ operation, query }: RouteRow): JsonSchema[] {
  return Object.entries((query as Shape | undefined)?.shape ?? {}).map(([name, schema]) => {
    const described = withDescription({ ...parameterSchema(schema), ...parameterNote(operation, name) });
    const optional = isOptional(schema);
    return {
      name,
      in: 'query',
      required: !optional,
      // As good as absent.
      ...(optional && { allowEmptyValue: true }),
      ...described,
      ...([described.schema.type].flat().includes('array') && { style: 'form', explode: false }),
    };
  });
}

const text: JsonSchema = { type: 'string' };

const header = (name: string, description: string, schema = text): JsonSchema => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

/** Whether an answer tells its version. */
export const mayBeUnchanged = (row: RouteRow): boolean =>
  row.method === 'GET' && headerNamesOf(row).includes('ETag');

/** The names of the headers that a route's answers have of their own. */
export function headerNamesOf({ headers, hashed, credential }: RouteRow): string[] {
  const anything: unknown = new Proxy({}, { get: (_, name) => String(name) });
  // It reads what the use case gives beside the answer; here only the names of what it makes of it count.
  const own = Object.keys(headers?.(anything) ?? {});
  return [...(credential ? ['Cache-Control'] : []), ...own, ...(hashed ? ['ETag'] : [])];
}

function headerParameters(row: RouteRow): JsonSchema[] {
  const all: JsonSchema[] = [];
  if (takesIdempotencyKey(row)) {
    const words =
      'A request with the same key is executed once; a repetition within 24 hours gets the same response.';
    all.push(header('Idempotency-Key', words, { type: 'string', maxLength: 255 }));
  }
  if (errorCodesOf(row).includes('version_mismatch')) {
    all.push(header('If-Match', 'An `ETag`: refused with 412 unless it is the current one.'));
  }
  if (mayBeUnchanged(row)) {
    all.push(header('If-None-Match', 'An `ETag`: answered with 304 when it is still the current one.'));
  }
  if (row.eventStream) {
    all.push(header('Last-Event-ID', 'The `id` of the last event seen; goes on after it.'));
  }
  return all;
}

/**
 * What a request has beside its body. `X-Api-Key`, `X-Tenant-Id` and `Authorization` are security schemes.
 */
export const parametersOf = (row: RouteRow): JsonSchema[] => [
  ...pathParameters(row),
  ...queryParameters(row),
  ...headerParameters(row),
];
