import type { Json } from './rows.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Where the string ends that begins at `from` with its quote: behind the closing one. */
function endOfString(text: Json, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

/** Where the value ends that begins at `from`. */
function endOfValue(text: Json, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
    } else if (character === ',' && depth === 0) return at;
  }
  return text.length;
}

/**
 * The members of an object as they are written, in their order; of a repeated one the last. The text must be
 * JSON (it has been checked or comes from a worker); what is no object has none. Takes time in proportion to
 * the text.
 */
export function membersOf(text: Json): Map<string, Json> {
  const members = new Map<string, Json>();
  const skip = (from: number): number => {
    let at = from;
    while (isSpace(text.charCodeAt(at))) at += 1;
    return at;
  };
  let at = skip(0);
  if (text[at] !== '{') return members;
  at = skip(at + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const name = String(JSON.parse(text.slice(at, nameEnd)));
    const valueAt = skip(skip(nameEnd) + 1);
    const valueEnd = endOfValue(text, valueAt);
    members.set(name, text.slice(valueAt, valueEnd).trimEnd());
    at = text[valueEnd] === ',' ? skip(valueEnd + 1) : text.length;
  }
  return members;
}

/** An object of members that are JSON already. */
export function objectOf(members: Iterable<readonly [string, Json]>): Json {
  const written = Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${written.join(',')}}`;
}

/** The members of both objects, the second's where both have one. */
export const mergedOf = (text: Json, changes: Json): Json =>
  objectOf(new Map([...membersOf(text), ...membersOf(changes)]));

/** Whether a member is absent or null. */
export const isNull = (value: Json | undefined): boolean => value === undefined || value === 'null';

/** The items of a list as they are written, under the conditions of `membersOf`. */
export function itemsOf(text: Json): Json[] {
  const items: Json[] = [];
  const inner = text.trim();
  if (!inner.startsWith('[')) return items;
  for (let at = 1; at < inner.length - 1; ) {
    const end = endOfValue(inner, at);
    items.push(inner.slice(at, end).trim());
    at = end + 1;
  }
  return items.filter((item) => item !== '');
}
