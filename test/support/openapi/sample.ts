import { openApiDocument, writtenPath } from '../../../lib/contract/openapi/document.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';

/** JSON Schema as the description has it. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: Schema | false;
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  pattern?: string;
  minimum?: number;
  maxLength?: number;
  maxItems?: number;
};

type Operation = { requestBody?: { content: Record<string, { schema: Schema } | undefined> } };
type Document = {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation | undefined> | undefined>;
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document is JSON; tests of its own say that it is valid
const document = openApiDocument(routes) as Document;

/** The schemas of the description that have names. */
export const namedSchemas: Readonly<Record<string, Schema>> = document.components.schemas;

/** The schema of a route's body. */
export function bodySchemaOf({ path, method }: Pick<RouteRow, 'path' | 'method'>): Schema {
  const operation = document.paths[writtenPath(path)]?.[method.toLowerCase()];
  const body = operation?.requestBody?.content['application/json'];
  if (body === undefined) throw new Error(`the description has no body of ${method} ${path}`);
  return body.schema;
}

/** What a schema says, behind the name that it may refer to. */
export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  if (name === undefined) return schema;
  const named = namedSchemas[name];
  if (named === undefined) throw new Error(`the description has no schema ${name}`);
  return resolved(named);
}

const texts: Record<string, string> = {
  uuid: '01a1fdde-183f-7459-a5df-eeba818f4fc2',
  'date-time': '2026-11-21T11:29:13.279Z',
};

const firstType = ({ type }: Schema): string | undefined => [type].flat().find((each) => each !== 'null');

function sampleText({ format = '' }: Schema): string {
  return texts[format] ?? 'text';
}

/** A value of a schema with every field that it knows. */
export function sampleOf(given: Schema): unknown {
  const schema = resolved(given);
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant !== undefined) return sampleOf(variant);
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (firstType(schema)) {
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [sampleOf(schema.items ?? {})];
    case 'object':
      return sampleObject(schema);
    default:
      return null;
  }
}

function sampleObject({ properties = {}, additionalProperties }: Schema): Record<string, unknown> {
  const known = Object.entries(properties).map(([name, member]) => [name, sampleOf(member)] as const);
  const isFree = typeof additionalProperties === 'object' && known.length === 0;
  return isFree ? { key: sampleOf(additionalProperties) ?? 'text' } : Object.fromEntries(known);
}

/** A place in a body, what its schema says there, and in which words. */
export type Place = {
  path: readonly (string | number)[];
  schema: Schema;
  words: string;
  /** Whether a request may leave it out. */
  isOptional: boolean;
  mayBeNull: boolean;
};

const isNull = ({ type }: Schema): boolean => [type].flat().includes('null');

/** A schema that may be null besides is one of two. */
function apartFromNull(schema: Schema): { schema: Schema; mayBeNull: boolean } {
  const [one = schema, ...others] = (schema.anyOf ?? []).filter((each) => !isNull(each));
  const mayBeNull = isNull(schema) || schema.anyOf?.some(isNull) === true || takesAnything(schema);
  return others.length > 0 ? { schema, mayBeNull } : { schema: resolved(one), mayBeNull };
}

const takesAnything = (schema: Schema): boolean =>
  Object.keys(schema).every((keyword) => keyword === 'description');

/** All places of a schema, outermost first. */
export function placesOf(given: Schema, path: Place['path'] = [], isOptional = false): Place[] {
  const { schema, mayBeNull } = apartFromNull(given);
  const words = [given.description, schema.description, schema.pattern].join(' ');
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    placesOf(member, [...path, name], schema.required?.includes(name) !== true),
  );
  const items = schema.items === undefined ? [] : placesOf(schema.items, [...path, 0]);
  return [{ path, schema, words, isOptional, mayBeNull }, ...inside, ...items];
}

/** The sample with another value at this place; undefined takes it out. */
export function withValue(sample: unknown, [first, ...rest]: Place['path'], value: unknown): unknown {
  if (first === undefined) return value;
  if (Array.isArray(sample)) return [withValue(sample[0], rest, value)];
  const object = sample as Record<string, unknown>;
  return { ...object, [first]: withValue(object[first], rest, value) };
}
