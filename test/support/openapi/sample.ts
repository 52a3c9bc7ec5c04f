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
