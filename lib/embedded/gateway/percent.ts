import { isUtf8 } from 'node:buffer';
import { refuse } from '../../contract/errors.ts';

const ENCODED_SURROGATE = /\xed([\xa0-\xbf])([\x80-\xbf])/g;

/**
 * The text of a part of an address as it came: `%C3%BC` is `ü`, a `%` that begins no byte stays one. Half of
 * a surrogate pair, encoded by itself as some languages do, becomes that half, so that handlers can say where
 * it is. Throws the refusal of other bytes.
 */
export function decodedPart(part: string): string {
  // Node gives an address byte by byte, in latin1.
  const bytes = part.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (isUtf8(Buffer.from(bytes, 'latin1'))) return utf8(bytes);
  const text = withSurrogates(bytes);
  // Two halves that make a pair are UTF-8 when they are encoded as one.
  if (text === undefined || text.isWellFormed()) throw refuse('not_utf8', { where: 'address' });
  return text;
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

function withSurrogates(bytes: string): string | undefined {
  // Bytes between surrogates, and of each of these its two last bytes.
  const parts = bytes.split(ENCODED_SURROGATE);
  let text = '';
  for (let at = 0; at < parts.length; at += 3) {
    const [between = '', first, second] = parts.slice(at, at + 3);
    if (!isUtf8(Buffer.from(between, 'latin1'))) return undefined;
    text += utf8(between);
    if (first !== undefined && second !== undefined) text += surrogateOf(first, second);
  }
  return text;
}

const surrogateOf = (first: string, second: string): string =>
  String.fromCharCode(0xd000 | ((first.charCodeAt(0) & 0x3f) << 6) | (second.charCodeAt(0) & 0x3f));
