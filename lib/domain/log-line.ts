import { withBidiShown } from '../shown-text.ts';
/** The longest message that is kept, in bytes of UTF-8. */
export const LOG_MESSAGE_BYTES_MAX = 16 * 1024;
const CUT_MARK = ' … (cut)';

// Everything a terminal might obey (C0, DEL, C1), but tab.
const controlCharacters = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/**
 * One log message as it is stored and shown: control characters but tab escaped (`\x1b`), and those that turn
 * the direction of text around (`\u202e`), well-formed, at most 16 KiB.
 */
export function cleanMessage(text: string): string {
  // Escaping never shortens, so this much fills the limit; a message of many megabytes costs no more.
  const escaped = withBidiShown(text.slice(0, LOG_MESSAGE_BYTES_MAX + 1))
    .replace(controlCharacters, escapeCharacter)
    .toWellFormed();
  const complete = text.length <= LOG_MESSAGE_BYTES_MAX;
  if (complete && Buffer.byteLength(escaped) <= LOG_MESSAGE_BYTES_MAX) return escaped;
  return `${cutAtBytes(escaped, LOG_MESSAGE_BYTES_MAX - Buffer.byteLength(CUT_MARK))}${CUT_MARK}`;
}

function escapeCharacter(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** The longest beginning of `text` that fits, never ending inside a character. */
function cutAtBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, bytesMax);
  // UTF-8 continuation bytes are 10xxxxxx: step back to the start of the character that would be cut.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

/**
 * Tools say on which level a line is in its first word, if at all; progress goes to stderr as often as
 * errors.
 */
export function levelOfOutput(line: string): 'INFO' | 'WARNING' | 'ERROR' {
  if (/^\s*(npm error|npm ERR!|\[?error\b|fatal:)/i.test(line)) return 'ERROR';
  return /^\s*(npm warn|\[?warn(ing)?\b)/i.test(line) ? 'WARNING' : 'INFO';
}
