import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import { ValidationError, type ValidationItem } from '../contract/errors.ts';
import type { RouteRow } from '../contract/routes/route.ts';
import {
  firstOfEachPlace,
  noObject,
  parsePart,
  type RequestPart,
} from '../contract/validation/parse-part.ts';
import { loneSurrogates } from '../contract/validation/surrogates.ts';
import type { Step } from './exchange.ts';

/**
 * Rules beyond shape, run on the body as it came, so that their findings stand beside those of the schema.
 */
export type Check = (body: unknown) => ValidationItem[];

// A body of one MiB can hold so many mistakes that telling each would break the limit of an answer.
const ITEMS_MAX = 100;

/** An empty value is an absent one. */
const query = (event: APIGatewayProxyEventV2): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(event.queryStringParameters ?? {}).filter(([, value]) => value !== ''));

const isObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

/** Checks that no schema makes: a body is an object, and all texts are valid Unicode, even unused ones. */
const shapeless = (event: APIGatewayProxyEventV2, body: unknown): ValidationItem[] => [
  ...loneSurrogates(['path'], event.pathParameters),
  ...loneSurrogates(['query'], event.queryStringParameters),
  ...loneSurrogates(['header'], event.headers),
  ...(body === undefined || isObject(body) ? loneSurrogates(['body'], body) : [noObject(body)]),
];

/**
 * Path, query and body against the row's schemas: all problems of the request at once, or the parsed parts.
 */
export const validate = (row: RouteRow, check: Check = () => []): Step => ({
  before: ({ event, internal }) => {
    const { body } = internal;
    const found = shapeless(event, body);
    const parse = (part: RequestPart, schema: z.ZodType | undefined, value: unknown): unknown => {
      if (schema === undefined) return undefined;
      if (part === 'body' && !isObject(value)) return undefined;
      const parsed = parsePart(part, schema, value);
      if (parsed.items === undefined) return parsed.value;
      found.push(...parsed.items);
      return undefined;
    };
    const input = {
      params: parse('path', row.params, event.pathParameters ?? {}),
      query: parse('query', row.query, query(event)),
      body: parse('body', row.body, body),
    };
    const items = firstOfEachPlace([...found, ...check(body)]);
    if (items.length > 0) throw new ValidationError(items.slice(0, ITEMS_MAX));
    internal.input = input;
  },
});
