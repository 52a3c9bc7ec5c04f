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
import type { Exchange, Middleware } from './exchange.ts';

/**
 * Rules beyond shape, run on the body as it came, so that their findings stand beside those of the schema.
 */
export type BodyCheck = (body: unknown) => ValidationItem[];

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

type Input = NonNullable<Exchange['input']>;
type Parts = { input: Input; items: ValidationItem[] };

function parsed(row: RouteRow, event: APIGatewayProxyEventV2, body: unknown, check: BodyCheck): Parts {
  const found = shapeless(event, body);
  const parse = (part: RequestPart, schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined;
    if (part === 'body' && !isObject(value)) return undefined;
    const { items, ...result } = parsePart(part, schema, value);
    found.push(...(items ?? []));
    return 'value' in result ? result.value : undefined;
  };
  const input = {
    params: parse('path', row.params, event.pathParameters ?? {}),
    query: parse('query', row.query, query(event)),
    body: parse('body', row.body, body),
  };
  return { input, items: firstOfEachPlace([...found, ...check(body)]) };
}

/** A body without what is only sent back, and what makes a parsed one whole again. */
export type WithoutSentBack = { rest: unknown; whole(parsed: unknown): unknown };

/**
 * Takes out of a body what was found wrong and is stored already: it was taken once, so that it may be sent
 * back. Undefined: nothing is.
 */
export type SentBack = (
  exchange: Exchange,
  params: unknown,
  items: readonly ValidationItem[],
) => Promise<WithoutSentBack | undefined>;

/**
 * Path, query and body against the row's schemas: all problems of the request at once, or the parsed parts.
 */
export const validate = (row: RouteRow, check: BodyCheck = () => [], sentBack?: SentBack): Middleware => ({
  before: async ({ event, internal }) => {
    let { input, items } = parsed(row, event, internal.body, check);
    const without =
      items.length > 0 && input.params !== undefined
        ? await sentBack?.(internal, input.params, items)
        : undefined;
    if (without !== undefined) {
      const again = parsed(row, event, without.rest, check);
      input = { ...again.input, body: without.whole(again.input.body) };
      items = again.items;
    }
    if (items.length > 0) throw new ValidationError(items.slice(0, ITEMS_MAX));
    internal.input = input;
  },
});
