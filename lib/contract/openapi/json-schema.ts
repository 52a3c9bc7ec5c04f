import * as z from 'zod';
import { unknownField } from '../validation/closed-object.ts';
import { freeJson, freeObject, JSON_DEPTH_MAX, TEXT_LENGTH_MAX } from '../validation/json.ts';
import { time } from '../validation/time.ts';
import { applyNotes } from './notes.ts';

/** JSON Schema as it is written down: keywords and their values. */
export type JsonSchema = { [keyword: string]: unknown };

type Named = z.core.$ZodRegistry<{ id: string }>;
type Direction = 'input' | 'output';

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapMembers = (value: JsonSchema, change: (member: unknown, key: string) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));

/** `anyOf` of one type and null is that type or null: shorter, and what generators of clients know. */
function withoutNullBranch(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema has schemas there
  const [value, nothing] = anyOf as JsonSchema[];
  if (value === undefined || nothing?.type !== 'null') return schema;
  // Anything at all: null is among it.
  if (Object.keys(value).every((keyword) => keyword === 'description')) return { ...value, ...rest };
  if (typeof value.type !== 'string') return schema;
  if ('const' in value) return schema;
  const withNull = Array.isArray(value.enum) ? { enum: [...(value.enum as unknown[]), null] } : {};
  return { ...value, type: [value.type, 'null'], ...withNull, ...rest };
}

const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;

/** Not every language that reads patterns knows classes of characters by their names. */
const portable = (pattern: string): string =>
  pattern.replaceAll(String.raw`\p{Cc}`, CONTROL).replaceAll(String.raw`\P{Cc}`, `[^${CONTROL}]`);

/** An answer's whole numbers are no larger than any are; a request's have to be told. */
function withoutSafeBounds({ minimum, maximum, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

const isText = ({ type }: JsonSchema): boolean => [type].flat().includes('string');

/** Times in responses are recognized by their names. */
const described = (field: string, schema: unknown): unknown =>
  isObject(schema) && isText(schema) && /(^|_)at$/.test(field) ? { ...schema, format: 'date-time' } : schema;

/** A schema for readers: what says nothing to them is left out, all the way down. */
function tidied(value: unknown, direction: Direction): unknown {
  if (Array.isArray(value)) return value.map((member) => tidied(member, direction));
  if (!isObject(value)) return value;
  const { $schema: _schema, $id: _id, id: _name, propertyNames: _names, ...rest } = value;
  const inside = mapMembers(rest, (member, key) =>
    // A field may have the name of a keyword.
    key === 'properties' && isObject(member)
      ? mapMembers(member, (field) => tidied(field, direction))
      : tidied(member, direction),
  );
  // An id is any 128 bits in hexadecimal; `format` says so already.
  if (inside.format === 'uuid') delete inside.pattern;
  // Responses may get more fields, so clients must not rely on there being no others.
  if (direction === 'output' && inside.additionalProperties === false) delete inside.additionalProperties;
  if (isObject(rest.additionalProperties) && rest.additionalProperties.not !== undefined) {
    inside.additionalProperties = false;
  }
  if (typeof inside.pattern === 'string') inside.pattern = portable(inside.pattern);
  if (direction === 'input') return withoutNullBranch(inside);
  if (isObject(inside.properties)) {
    inside.properties = mapMembers(inside.properties, (field, name) => described(name, field));
  }
  return withoutNullBranch(withoutSafeBounds(inside));
}

const FREE_JSON_LIMITS = `At most ${JSON_DEPTH_MAX} levels deep, with keys and texts of at most ${TEXT_LENGTH_MAX} characters.`;

/**
 * Requests give times as texts; what becomes of them says nothing of that. A field that is not known is
 * refused: that null is taken there as well is nothing to build on, and generators have no type for it.
 */
function describe({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: JsonSchema }): void {
  if (zodSchema === time) Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  if (zodSchema === unknownField) Object.assign(jsonSchema, { not: {} });
  if (zodSchema === freeJson || zodSchema === freeObject) jsonSchema.description = FREE_JSON_LIMITS;
}

/** The schemas of a registry by their names, each referring to the others under `#/components/schemas/`. */
export function componentSchemas(named: Named, direction: Direction): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(named, {
    io: direction,
    metadata: named,
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: describe,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays one
      applyNotes(name, tidied(schema, direction) as JsonSchema),
    ]),
  );
}

/** Whether the text `null` counts as absent here. */
function mayBeNull(schema: z.ZodType): boolean {
  const [given, absent] = [schema.safeParse('null'), schema.safeParse(undefined)];
  return given.success && absent.success && given.data === absent.data;
}

function orNull(schema: JsonSchema): JsonSchema {
  const withNull = Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...withNull };
}

/** The schema of one parameter. Parameters arrive as text; what they are is what they become. */
export function parameterSchema(schema: z.ZodType): JsonSchema {
  const written = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override: describe,
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays one
  const shown = tidied(written, 'input') as JsonSchema;
  return mayBeNull(schema) ? orNull(shown) : shown;
}

/** Whether a request may leave this out. */
export const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;
