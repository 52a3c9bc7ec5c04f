/**
 * The text of a file that people have written. Some editors and shells begin one with a byte order mark: that
 * of UTF-8 says nothing, and those of UTF-16 say how the rest is to be read.
 */
export function textOfFile(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // A decoder takes the mark of its own encoding away.
  return new TextDecoder(isUtf16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
}

/** Whether a file begins with a byte order mark, which many programs take for a part of its text. */
export const hasByteOrderMark = ([first, second, third]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) ||
  (first === 0xfe && second === 0xff) ||
  (first === 0xef && second === 0xbb && third === 0xbf);
