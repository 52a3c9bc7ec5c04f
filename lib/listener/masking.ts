/** Shorter values would blot out ordinary words. */
const MASKED_LENGTH_MIN = 8;

export type Mask = (text: string) => string;

/**
 * The forms in which a value may be printed: itself, each of its lines (output comes line by line), and
 * inside JSON.
 */
function formsOf(value: string): string[] {
  return [value, ...value.split(/\r?\n/), JSON.stringify(value).slice(1, -1)];
}

/** Replaces every value of 8 or more characters by `***`. */
export function createMask(values: Iterable<string>): Mask {
  const forms = [...new Set([...values].flatMap(formsOf))]
    .filter((form) => form.length >= MASKED_LENGTH_MIN)
    // The longest first: a value that contains another one is replaced whole.
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
}
