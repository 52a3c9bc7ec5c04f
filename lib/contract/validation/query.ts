import * as z from 'zod';
import { report } from './problems.ts';

/**
 * Schemas of query parameters, which arrive as text. Absent and empty ones are taken out before. No coercion
 * by zod: it reads '' as 0 and 'false' as true.
 */

/**
 * A parameter that is no free text: the word `null`, which clients make of an unset value, counts as absent.
 */
export const orNull = <T extends z.ZodType>(schema: T): z.ZodPreprocess<T> =>
  z.preprocess((text) => (text === 'null' ? undefined : text), schema);

const BAD_INTEGER = {
  type: 'int_parsing',
  msg: 'Input should be a valid integer, unable to parse string as an integer',
};
const BAD_BOOLEAN = {
  type: 'bool_parsing',
  msg: 'Input should be a valid boolean, unable to interpret input',
};
const LIST_LENGTH_MAX = 100;

/** A whole number within bounds, both inclusive. */
export function queryInt(bounds: { min: number; max?: number }) {
  return z
    .string()
    .transform((text, ctx) => {
      if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
      report(ctx, BAD_INTEGER, [], text);
      return z.NEVER;
    })
    .pipe(
      z
        .int()
        .min(bounds.min)
        .max(bounds.max ?? Number.MAX_SAFE_INTEGER),
    );
}

const words = new Map([
  ...['1', 't', 'true', 'y', 'yes', 'on'].map((word) => [word, true] as const),
  ...['0', 'f', 'false', 'n', 'no', 'off'].map((word) => [word, false] as const),
]);

export const queryBoolean = z
  .string()
  .transform((text, ctx) => {
    const value = words.get(text.trim().toLowerCase());
    if (value !== undefined) return value;
    report(ctx, BAD_BOOLEAN, [], text);
    return z.NEVER;
  })
  .pipe(z.boolean());

/** A list without any entry is an absent one, as an empty value is. */
const entriesOrNone = (text: unknown): unknown =>
  typeof text === 'string' && /^[\s,]*$/.test(text) ? undefined : text;

const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .pipe(z.array(item).max(LIST_LENGTH_MAX));

/** A comma-separated list; empty entries do not count. */
export const queryList = <T extends z.ZodType<unknown, string>>(item: T) =>
  z.preprocess(entriesOrNone, listOf(item));

/** A comma-separated list that a request may leave out. */
export const optionalList = <T extends z.ZodType<unknown, string>>(item: T) =>
  z.preprocess(entriesOrNone, listOf(item).optional());

const PAGE_LENGTH_MAX = 100;
const PAGE_LENGTH_DEFAULT = 20;

/** `limit` and `offset` of every list; `offset` counts rows. */
export const page = {
  limit: orNull(queryInt({ min: 1, max: PAGE_LENGTH_MAX }).default(PAGE_LENGTH_DEFAULT)),
  offset: orNull(queryInt({ min: 0 }).default(0)),
};

export const id = z.guid().toLowerCase();
