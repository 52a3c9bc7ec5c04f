/** The first and the last sort key of a query, both included. */
export type SortKeyRange = [from: string, to: string];

/**
 * No text sorts behind it: DynamoDB orders strings by their bytes in UTF-8, where U+FFFF comes before every
 * emoji.
 */
const LAST_CHARACTER = '\u{10ffff}';

/**
 * The range of the sort keys that start with `prefix`, which must not be empty. No key condition uses
 * `begins_with`: the embedded database ignores case in it, so that it finds, and deletions delete, items of
 * other ids.
 */
export const startingWith = (prefix: string): SortKeyRange => [prefix, `${prefix}${LAST_CHARACTER}`];

/** The range of the sort keys from `first` on. */
export const from = (first: string): SortKeyRange => [first, LAST_CHARACTER];
