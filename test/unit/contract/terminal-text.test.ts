import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf, withColoursAlone, withoutSequences } from '../../../lib/contract/terminal-text.ts';

it.each([
  ['one\r\ntwo\nthree\r\n', ['one', 'two', 'three']],
  ['\r10%\r\r100%\r', ['10%', '100%']],
  ['\n\na', ['', '', 'a']],
  ['\r', ['']],
])('%j has these lines', (output, expected) => {
  expect(linesOf(output)).toEqual(expected);
});

describe('what a terminal would obey', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m \u001b[38;2;1;2;3mpink\u001b[4:3m', 'red pink'],
    ['movements', 'a\u001b[2K\u001b[1Gb\u001b[?25l\u001b[0 q', 'ab'],
    ['a title, with spaces', '\u001b]0;my title\u0007text', 'text'],
    ['a link', '\u001b]8;;https://a.example/?b=c\u001b\\link\u001b]8;;\u001b\\ text', 'link text'],
    ['a string for the terminal', '\u001bP1;2|abc\u001b\\text', 'text'],
    ['other escapes', '\u001b(B\u001b7\u001b=\u001bM\u001b#8\u001b%Gtext', 'text'],
    ['a sequence of one byte', '\u009b1mtext\u009d0;title\u009c', 'text'],
    ['a sequence that was cut off', 'text\u001b[1;2', 'text'],
    ['only the beginning of a string without end', '\u001b]\u001b]0;text', '0;text'],
  ])('%s: goes', (_, line, expected) => {
    expect(withoutSequences(line)).toBe(expected);
  });

  it('leaves the colours where they are wanted', () => {
    expect(withColoursAlone('\u001b[2K\u001b[1;31mred\u001b[0m\u001b]0;t\u0007\u001b[1A')).toBe(
      '\u001b[1;31mred\u001b[0m',
    );
  });

  it('leaves what Node leaves, of what tools print', () => {
    const pieces = fc.constantFrom(
      ...['text', ' ', 'é', '[', ']', ';', '0m', '\u001b[31m', '\u001b[0m', '\u001b[2K', '\u001b[10;20H'],
      ...['\u001b]0;title\u0007', '\u001b]8;;https://a.example\u001b\\', '\t'],
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        expect(withoutSequences(parts.join(''))).toBe(stripVTControlCharacters(parts.join('')));
      }),
    );
  });
});
