import type { ValidationItem } from './errors.ts';

/** `https://user:password@`: all up to the last `@`, for a password may hold anything. */
const CREDENTIALS = /(\b(?:https?|wss?|ftp):|:[\\/]{2})[^]*@/i;
const LONE_SURROGATE = /\\ud[89a-f]/i;

function hasCredentials(text: string): boolean {
  if (CREDENTIALS.test(text)) return true;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && (url.username !== '' || url.password !== '');
}

function mayBeRepeated(input: unknown): boolean {
  if (input === undefined) return false;
  const text = JSON.stringify(input) ?? '';
  return !LONE_SURROGATE.test(text) && !hasCredentials(typeof input === 'string' ? input : text);
}

/** An item of a 422 without what nobody is to read again: user names and passwords of addresses, and texts that are no Unicode. */
export function repeatable({ input, msg, ...item }: ValidationItem): ValidationItem {
  const told = { ...item, msg: msg.replace(CREDENTIALS, '$1***@').toWellFormed() };
  return mayBeRepeated(input) ? { ...told, input } : told;
}
