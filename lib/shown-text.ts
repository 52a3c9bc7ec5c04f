/**
 * Marks that turn the order of the characters around them: a name that holds one may be read as another name,
 * and a line as another line. They belong into running text of a person, never into names.
 */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text whose turning marks are seen instead of obeyed: `\u202e`, as a program would write it. */
export const withBidiShown = (text: string): string =>
  text.replace(BIDI, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
