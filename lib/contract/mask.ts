/** Shorter values are too common in ordinary text to replace. */
const MASKED_LENGTH_MIN = 8;
const MASK = '***';

/**
 * Replaces each of `values` that has 8 or more characters by `***`; the longest first, so that a value inside
 * another leaves no rest.
 */
export function maskSecrets(text: string, values: readonly string[]): string {
  return values
    .flatMap((value) => [value, ...(value.includes('\n') ? value.split(/\r?\n/) : [])])
    .filter((value) => value.length >= MASKED_LENGTH_MIN)
    .sort((a, b) => b.length - a.length)
    .reduce((masked, value) => masked.replaceAll(value, MASK), text);
}
