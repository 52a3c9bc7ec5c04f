import { LongestMatches } from './longest-matches.ts';

const MASK = '***';
/** What a cut may leave of a percent-encoded byte: it would hide the beginning of a value before it. */
const HALF_ESCAPE = /%[\da-f]?$/i;
/** The forms for so short texts are always taken up together. */
const TEXT_BYTES_MIN = 1024;

/** `isCut`: the end of the text is missing, so what may begin a value at its end is replaced too. */
export type Mask = (text: string, isCut?: boolean) => string;

/**
 * Replaces each of `values` that has 8 or more characters by `***`, in all forms of it; where some overlap,
 * all of what they cover. A mask is made once for all lines that it is for: to make one takes time in
 * proportion to the values, to use it time in proportion to the text.
 */
export function createMask(values: Iterable<string>): Mask {
  const forms = [...values].flatMap(formsOf);
  let matches: LongestMatches | undefined;
  let textBytesMax = 0;
  return (text, isCut = false) => {
    // No form is as short.
    if (forms.length === 0 || (!isCut && text.length < MASKED_LENGTH_MIN)) return text;
    const bytes = Buffer.from(isCut ? text.replace(HALF_ESCAPE, '') : text);
    // Of a form that is longer than a text, the text may end with the beginning.
    const formBytesMax = isCut ? Number.POSITIVE_INFINITY : bytes.length;
    if (matches === undefined || formBytesMax > textBytesMax) {
      // A form is not in a text that is shorter than it, and few lines are as long as the longest values. At
      // least twice the length each time, so all of these times together are at most twice the last.
      textBytesMax = Math.max(TEXT_BYTES_MIN, formBytesMax, textBytesMax * 2);
      matches = new LongestMatches(forms.filter(({ length }) => length <= textBytesMax));
    }
    const covered = coveredBy(matches, bytes, isCut);
    return covered.length === 0 ? text : masked(bytes, covered);
  };
}

/** Masks one text. A mask that is used again is made by `createMask`. */
export const maskSecrets = (text: string, values: readonly string[]): string => createMask(values)(text);

type Range = { start: number; end: number };

/** What forms cover in a text or in what it decodes to, in order and apart from each other. */
function coveredBy(matches: LongestMatches, text: Uint8Array, isCut: boolean): Range[] {
  const ranges = foundIn(matches, text, isCut);
  for (const { bytes, starts } of percentDecoded(text)) {
    const inDecoded = foundIn(matches, bytes, isCut);
    if (inDecoded.length === 0) continue;
    const at = starts();
    for (const { start, end } of inDecoded) ranges.push({ start: at[start] ?? 0, end: at[end] ?? 0 });
  }
  const apart: Range[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.end - b.end)) cover(apart, start, end);
  return apart;
}

function foundIn(matches: LongestMatches, text: Uint8Array, isCut: boolean): Range[] {
  const ranges: Range[] = [];
  const begun = matches.find(text, (start, end) => cover(ranges, start, end));
  if (isCut && begun > 0) cover(ranges, text.length - begun, text.length);
  return ranges;
}

/** Adds a range; no other ends behind it. Those that it overlaps become one with it. */
function cover(ranges: Range[], from: number, end: number): void {
  let start = from;
  for (let last = ranges.at(-1); last !== undefined && last.end > start; last = ranges.at(-1)) {
    start = Math.min(start, last.start);
    ranges.pop();
  }
  ranges.push({ start, end });
}

function masked(text: Buffer, covered: readonly Range[]): string {
  const parts: string[] = [];
  let kept = 0;
  for (const { start, end } of covered) {
    parts.push(text.toString('utf8', kept, start), MASK);
    kept = end;
  }
  return parts.join('') + text.toString('utf8', kept);
}

/** Shorter values are too common in ordinary text to replace. */
const MASKED_LENGTH_MIN = 8;

/**
 * The forms in which a value may be printed: itself, each of its lines (output comes line by line), inside
 * JSON; of the whole value also percent-encoded, base64 and hex, and the password of a URL. All together are
 * linear in the value: only its lines, which have one form each, are parts of it.
 *
 * Encoders disagree on what they leave as it is. So texts are also decoded (`percentDecoded`); the form is
 * still needed, for `%` may stand before it.
 */
export function formsOf(value: string): Buffer[] {
  const texts = [
    value,
    ...value.split(/\r\n|\r|\n/),
    ...inJson(value),
    ...encoded(value),
    ...passwords(value),
  ];
  const long = new Set(texts.filter(({ length }) => length >= MASKED_LENGTH_MIN));
  return [...long].map((text) => Buffer.from(text));
}

/** As JavaScript writes it, and as those do who escape all that is not ASCII, as Python does. */
function inJson(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const escaped = (digits: (hex: string) => string) =>
    json.replaceAll(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`,
    );
  return [json, escaped((hex) => hex), escaped((hex) => hex.toUpperCase())];
}

function encoded(value: string): string[] {
  if (value.length < MASKED_LENGTH_MIN) return [];
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const base64 = bytes.toString('base64');
  const inside = ([0, 1, 2] as const).map((before) => insideBase64(bytes, before));
  const all = [base64, base64.replace(/={1,2}$/, ''), ...inside];
  const percent = encodeURIComponent(value.toWellFormed());
  return [percent, hex, hex.toUpperCase(), ...all, ...all.map(urlSafe)];
}

const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/**
 * What the value alone decides in the base64 of a text in which so many bytes are before it (of three, four
 * characters are made): in Basic credentials, say.
 */
function insideBase64(bytes: Buffer, before: 0 | 1 | 2): string {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const bits = (count: number) => (count * 8) / 6;
  return all.toString('base64').slice(Math.ceil(bits(before)), Math.floor(bits(all.length)));
}

/** The password of a URL that may name one (`postgres://user:password@host`), as it is and decoded. */
function passwords(value: string): string[] {
  const [, password] = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#:@\s]*:([^/?#\s]+)@/i.exec(value) ?? [];
  if (password === undefined) return [];
  const decoded = decodedText(password);
  return [password, decoded, ...inJson(decoded)];
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** Bytes that a text stands for. `starts`: where each begins in the text, and last where the text ends. */
type DecodedText = { bytes: Uint8Array; starts(): Int32Array };

/**
 * What a text (in UTF-8) means where it is percent-encoded, in whatever style: in addresses `+` is itself, in
 * forms it is a space. What is no escape stays as it is. Empty for a text that has neither.
 */
function percentDecoded(text: Uint8Array): DecodedText[] {
  const ways = text.includes(PERCENT) ? [decode(text, PLUS)] : [];
  return text.includes(PLUS) ? [...ways, decode(text, SPACE)] : ways;
}

function decode(text: Uint8Array, plus: number): DecodedText {
  const bytes = new Uint8Array(text.length);
  const length = walk(text, (at, byte, from) => {
    bytes[at] = byte === PLUS && text[from] === PLUS ? plus : byte;
  });
  return {
    bytes: bytes.subarray(0, length),
    starts() {
      const starts = new Int32Array(length + 1);
      walk(text, (at, _, from) => {
        starts[at] = from;
      });
      starts[length] = text.length;
      return starts;
    },
  };
}

/** Returns how many bytes the text stands for. */
function walk(text: Uint8Array, each: (at: number, byte: number, from: number) => void): number {
  let length = 0;
  for (let from = 0; from < text.length; length += 1) {
    const byte = text[from] ?? 0;
    const escaped = byte === PERCENT ? escapedByte(text, from) : undefined;
    each(length, escaped ?? byte, from);
    from += escaped === undefined ? 1 : 3;
  }
  return length;
}

function escapedByte(text: Uint8Array, at: number): number | undefined {
  const [high, low] = [digitOf(text[at + 1]), digitOf(text[at + 2])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

/** The value of a hexadecimal digit in ASCII. */
function digitOf(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  // Of letters, bit 5 alone tells the small from the capital ones.
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : undefined;
}
