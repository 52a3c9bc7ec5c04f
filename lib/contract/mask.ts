/** Shorter values are too common in ordinary text to replace. */
const MASKED_LENGTH_MIN = 8;
const MASK = '***';

export type Mask = (text: string) => string;

/**
 * The forms in which a value may be printed: itself, each of its lines (output comes line by line), and
 * inside JSON.
 */
const formsOf = (value: string): string[] => [
  value,
  ...value.split(/\r?\n/),
  JSON.stringify(value).slice(1, -1),
];

/**
 * Replaces each of `values` that has 8 or more characters by `***`; the longest first, so that a value inside
 * another leaves no rest.
 */
export function createMask(values: Iterable<string>): Mask {
  const forms = [...new Set([...values].flatMap(formsOf))]
    .filter((form) => form.length >= MASKED_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/** The same for one text. */
export const maskSecrets = (text: string, values: readonly string[]): string => createMask(values)(text);
