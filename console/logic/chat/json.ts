/** What agents send has any shape: it is looked at field by field, and nothing of it is believed. */

export type Json = Record<string, unknown>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The field of an object; undefined: it is none, or has no such field of its own. */
export const fieldAt = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

export function textAt(value: unknown, name: string): string | undefined {
  const field = fieldAt(value, name);
  return typeof field === 'string' ? field : undefined;
}

export function numberAt(value: unknown, name: string): number | undefined {
  const field = fieldAt(value, name);
  return typeof field === 'number' ? field : undefined;
}

/** Empty where there is no list. */
export function listAt(value: unknown, name: string): unknown[] {
  const field = fieldAt(value, name);
  return Array.isArray(field) ? field : [];
}

/** The value that a text is in JSON, else the text itself. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whatever was thrown, as an error that says something. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** A value for a person to read or edit: a text as it is, all else as JSON. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

/** The names of code as words: `order_id` is "Order id". */
export function words(name: string): string {
  const plain = name
    .slice(0, 80)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
