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

/** Enough to find the mistakes; a body of one MiB can hold a hundred thousand. */
const FOUND_MAX = 100;
/** Locations are reported down to this depth; deeper problems are reported at their ancestor there. */
const PLACE_DEPTH_MAX = 64;

type Loc = ValidationItem['loc'];
type Place = { loc: Loc; depth: number };

/**
 * Every text in `value`, keys included, that is no Unicode text because half of a surrogate pair stands alone
 * in it: one item each, at its place under `loc`, without the text itself. Takes JSON of any depth.
 */
export function loneSurrogates(loc: Loc, value: unknown): ValidationItem[] {
  const found: ValidationItem[] = [];
  // Not by recursion: a MiB of JSON nests deeper than the stack.
  const waiting: [Place, unknown][] = [[{ loc, depth: 0 }, value]];
  for (let next = waiting.pop(); next !== undefined && found.length < FOUND_MAX; next = waiting.pop()) {
    const [place, member] = next;
    if (isLone(member)) found.push(notUnicode(place));
    if (typeof member !== 'object' || member === null) continue;
    const below: [Place, unknown][] = [];
    for (const [key, child] of Array.isArray(member) ? member.entries() : Object.entries(member)) {
      if (isLone(key)) found.push(notUnicode(placeBelow(place, key)));
      if (isLone(child) || typeof child === 'object') below.push([placeBelow(place, key), child]);
    }
    // The last one waiting is the next one looked at.
    for (const each of below.toReversed()) waiting.push(each);
  }
  return found;
}

const isLone = (value: unknown): boolean => typeof value === 'string' && !value.isWellFormed();

const placeBelow = ({ loc, depth }: Place, key: string | number): Place =>
  depth === PLACE_DEPTH_MAX
    ? { loc, depth }
    : { loc: [...loc, typeof key === 'string' ? key.toWellFormed() : key], depth: depth + 1 };

const notUnicode = ({ loc }: Place): ValidationItem => ({
  loc,
  type: 'string_unicode',
  msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
});
