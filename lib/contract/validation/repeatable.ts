import type { ValidationItem } from '../errors.ts';

/**
 * `https://user:password@` and `user:password@`: whatever stands between, for a password may hold anything.
 */
const CREDENTIALS = /:[^:]*@/;
const LONE_SURROGATE = /\\ud[89a-f]/i;

/** Masks the credentials in one word of a sentence. */
function withoutCredentials(word: string): string {
  const [begin, end] = [word.indexOf(':'), word.lastIndexOf('@')];
  return begin === -1 || end < begin ? word : `${word.slice(0, begin)}:***${word.slice(end)}`;
}

/** Whether there is such a text anywhere in a value, keys included. */
function hasCredentials(value: unknown): boolean {
  if (typeof value === 'string') return CREDENTIALS.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, held]) => CREDENTIALS.test(key) || hasCredentials(held));
}

function mayBeRepeated(input: unknown): boolean {
  if (input === undefined) return false;
  return !LONE_SURROGATE.test(JSON.stringify(input) ?? '') && !hasCredentials(input);
}

/**
 * An item of a 422 without what nobody is to read again: user names and passwords of addresses, and texts
 * that are no Unicode.
 */
export function repeatable({ input, msg, ...item }: ValidationItem): ValidationItem {
  const told = { ...item, msg: msg.replace(/\S+/g, withoutCredentials).toWellFormed() };
  return mayBeRepeated(input) ? { ...told, input } : told;
}
