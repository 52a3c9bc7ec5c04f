import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../lib/contract/mask.ts';
import { cleanMessage, LOG_MESSAGE_BYTES_MAX } from '../../../lib/domain/log-line.ts';

describe('masking', () => {
  it.each([
    ['every occurrence', 'a secret-1 b secret-1', ['secret-1'], 'a *** b ***'],
    ['the longest first', 'secret-1-and-more', ['secret-1', 'secret-1-and-more'], '***'],
    ['no short value', 'on 1234567', ['1234567', ''], 'on 1234567'],
    ['text that looks like a pattern', 'a.*b$&.*', ['.*b$&.*x', 'a.*b$&.*'], '***'],
    ['each line of a value of several', 'line-one-x', ['line-one-x\nline-two-y'], '***'],
  ])('replaces %s', (_, text, values, expected) => {
    expect(maskSecrets(text, values)).toBe(expected);
  });
});

describe('a stored message', () => {
  it('keeps tabs and ordinary text, escapes the rest', () => {
    expect(cleanMessage('a\tb é 🙂')).toBe('a\tb é 🙂');
    expect(cleanMessage('\x00\r\n\x1b[0m\x7f\x9b')).toBe('\\x00\\x0d\\x0a\\x1b[0m\\x7f\\x9b');
    expect(cleanMessage('\ud800')).toBe('\ufffd');
  });

  it.each(['x', 'é', '🙂', '\0'])('is cut at 16 KiB between characters (%j)', (character) => {
    const cut = cleanMessage(character.repeat(40_000));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(LOG_MESSAGE_BYTES_MAX);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(LOG_MESSAGE_BYTES_MAX - 16);
    expect(cut).not.toContain('\ufffd');
    expect(cleanMessage('x'.repeat(LOG_MESSAGE_BYTES_MAX))).toHaveLength(LOG_MESSAGE_BYTES_MAX);
  });
});
