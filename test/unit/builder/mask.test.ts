import { describe, expect, it } from 'vitest';
import { createMask, maskSecrets } from '../../../lib/contract/mask.ts';
import { cleanMessage, LOG_MESSAGE_BYTES_MAX } from '../../../lib/domain/log-line.ts';

describe('masking', () => {
  it.each([
    ['every occurrence', 'a secret-1 b secret-1', ['secret-1'], 'a *** b ***'],
    ['the longest first', 'secret-1-and-more', ['secret-1', 'secret-1-and-more'], '***'],
    ['no short value', 'on 1234567', ['1234567', ''], 'on 1234567'],
    ['text that looks like a pattern', 'a.*b$&.*', ['.*b$&.*x', 'a.*b$&.*'], '***'],
    ['each line of a value of several', 'line-one-x', ['line-one-x\nline-two-y'], '***'],
    [
      'each line of a value, however it ends',
      'a-line-1\nb-line-2',
      ['a-line-1\rb-line-2\r\nc-line-3'],
      '***\n***',
    ],
    ['values that overlap', 'see abcdefghijkl.', ['abcdefgh', 'efghijkl'], 'see ***.'],
    ['the password of a URL', 'as pass-word-1', ['postgres://user:pass-word-1@host/db'], 'as ***'],
    ['it decoded', 'as p@ss/word', ['https://user:p%40ss%2Fword@host'], 'as ***'],
    ['it as a URL has it', 'as p%40ss%2Fword', ['https://user:p%40ss%2Fword@host'], 'as ***'],
    ['no short password', 'redis://host short-1', ['redis://:short-1@host'], 'redis://host short-1'],
    [
      'no user or host',
      'long-user@long-host',
      ['amqp://long-user:password@long-host'],
      'long-user@long-host',
    ],
    ['a URL without a password', 'https://u@host/a:b@c', ['https://u@host/a:b@c'], '***'],
    ['the percent-encoded value', 'q=a+long%20v%c3%A4lue%21', ['a long välue!'], 'q=***'],
    ['it behind a per cent sign', '100%abcdef%3F1', ['abcdef?1'], '100%***'],
    ['base64', 'x YS12YWx1ZS0xPz8+ YS12YWx1ZS0xPz8- y', ['a-value-1??>'], 'x *** *** y'],
    ['a password of Basic credentials', 'Basic dXM6YS12YWx1ZS0x', ['a-value-1'], 'Basic dXM6***'],
    ['hex', '612D76616C75652D31 612d76616c75652d31', ['a-value-1'], '*** ***'],
    ['no form of a short value', 'c2hvcnQtMQ== 73686f72742d31', ['short-1'], 'c2hvcnQtMQ== 73686f72742d31'],
    ['its form inside JSON', '{"a":"one\\"two\\nthree"}', ['one"two\nthree'], '{"a":"***"}'],
    [
      'its form inside JSON of ASCII alone',
      '"pass-\\u00fcber-\\ud83d\\ude42" \\u00FC',
      ['pass-über-🙂'],
      '"***" \\u00FC',
    ],
  ])('replaces %s', (_, text, values, expected) => {
    expect(maskSecrets(text, values)).toBe(expected);
  });
});

describe('masking a text that was cut', () => {
  const value = 'a-very: secret+välue';
  it.each([
    ['as it is', value],
    ['inside JSON', JSON.stringify(value).slice(1, -1)],
    ['percent-encoded', encodeURIComponent(value)],
    ['percent-encoded in another style', 'a%2dvery%3a+secret%2bv%c3%a4lue'],
    ['in base64', Buffer.from(value).toString('base64')],
    ['in hex', Buffer.from(value).toString('hex')],
  ])('replaces the beginning of a value %s', (_, form) => {
    const mask = createMask([value]);
    for (let end = 1; end < form.length; end += 1) {
      const text = `x ${form.slice(0, end)}`;
      expect(mask(text, true)).toBe('x ***');
      expect(mask(text)).toContain(text);
    }
  });

  it('replaces it of a value that is longer than the text, and nothing that begins none', () => {
    const mask = createMask([`long-${'value-'.repeat(10_000)}`]);
    expect(mask('x long-value-val', true)).toBe('x ***');
    expect(mask('x long-value-vat', true)).toBe('x long-value-vat');
  });
});

describe('a stored message', () => {
  it('keeps tabs and ordinary text, escapes the rest', () => {
    expect(cleanMessage('a\tb é 🙂')).toBe('a\tb é 🙂');
    expect(cleanMessage('\x00\r\n\x1b[0m\x7f\x9b')).toBe('\\x00\\x0d\\x0a\\x1b[0m\\x7f\\x9b');
    expect(cleanMessage('\ud800')).toBe('\ufffd');
    expect(cleanMessage('a\u202eb\u2066c\u2069\u200f\u061c é')).toBe(
      'a\\u202eb\\u2066c\\u2069\\u200f\\u061c é',
    );
  });

  it.each(['x', 'é', '🙂', '\0'])('is cut at 16 KiB between characters (%j)', (character) => {
    const cut = cleanMessage(character.repeat(40_000));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(LOG_MESSAGE_BYTES_MAX);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(LOG_MESSAGE_BYTES_MAX - 16);
    expect(cut).not.toContain('\ufffd');
    expect(cleanMessage('x'.repeat(LOG_MESSAGE_BYTES_MAX))).toHaveLength(LOG_MESSAGE_BYTES_MAX);
  });
});
