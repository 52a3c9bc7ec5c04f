import type { ValidationItem } from '../errors.ts';

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
