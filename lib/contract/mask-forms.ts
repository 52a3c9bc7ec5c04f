/** Shorter values are too common in ordinary text to replace. */
export const MASKED_LENGTH_MIN = 8;

/**
 * The forms in which a value may be printed: itself, each of its lines (output comes line by line), inside
 * JSON; of the whole value also percent-encoded, base64 and hex, and the password of a URL. All together are
 * linear in the value: only its lines, which have one form each, are parts of it.
 *
 * Encoders disagree on what they leave as it is. So texts are also decoded (`percent-text.ts`); the form is
 * still needed, for `%` may stand before it.
 */
export function formsOf(value: string): Buffer[] {
  const texts = [value, ...value.split(/\r?\n/), ...inJson(value), ...encoded(value), ...passwords(value)];
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
