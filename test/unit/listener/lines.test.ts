import { describe, expect, it } from 'vitest';
import { guessLevel } from '../../../lib/contract/log-level.ts';
import { createMask } from '../../../lib/contract/mask.ts';
import { cutText, LineSplitter } from '../../../lib/processes/lines.ts';
import { nextTimestamp } from '../../../lib/processes/timestamps.ts';

describe('the level of a line', () => {
  it.each([
    ['plain text', 'INFO'],
    ['ERROR: no database', 'ERROR'],
    ['[warn] old option', 'WARNING'],
    ['2026-11-21T10:00:00.123Z ERROR boom', 'ERROR'],
    ['12:00:01,5 DEBUG: x', 'DEBUG'],
    ['TRACE: x', 'DEBUG'],
    ['[2026-11-21 10:00:00,123+01:00] [error] x', 'ERROR'],
    ['12:00:01 Z <warn> x', 'WARNING'],
    ['2026-11-21T10:00:00.123Z', 'INFO'],
    ['Errors were found', 'INFO'],
    ['error-prone code', 'INFO'],
    ['{"level":"error","msg":"x"}', 'ERROR'],
    ['{"level":40}', 'WARNING'],
    ['{"severity":"CRITICAL"}', 'ERROR'],
    ['{"level":', 'INFO'],
    ['', 'INFO'],
  ])('%j is %s', (line, level) => {
    expect(guessLevel(line)).toBe(level);
  });
});

describe('masking', () => {
  it('replaces values of 8 or more characters, the longest first', () => {
    const mask = createMask(['short', 'longenough', 'longenough-and-more']);
    expect(mask('short longenough-and-more longenough')).toBe('short *** ***');
  });

  it('finds each line of a value, and its form inside JSON', () => {
    const value = 'first "line"\nsecond line';
    const mask = createMask([value]);
    expect(mask('it is second line!')).toBe('it is ***!');
    expect(mask(JSON.stringify({ value }))).toBe('{"value":"***"}');
  });
});

describe('splitting bytes into lines', () => {
  function split(chunks: Buffer[], bytesMax?: number): string[] {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line), bytesMax);
    for (const chunk of chunks) splitter.write(chunk);
    splitter.end();
    return lines;
  }

  it('joins a character that comes in two chunks', () => {
    const bytes = Buffer.from('grüße\nok');
    expect(split([bytes.subarray(0, 3), bytes.subarray(3)])).toEqual(['grüße', 'ok']);
  });

  it('cuts a long line, at a character, and goes on with the next', () => {
    expect(split([Buffer.from(`${'a'.repeat(9)}ü${'b'.repeat(50)}\nnext\n`)], 10)).toEqual([
      'aaaaaaaaa',
      'next',
    ]);
    expect(split([Buffer.from(`${'a'.repeat(8)}ü${'b'.repeat(50)}\n`)], 10)).toEqual(['aaaaaaaaü']);
  });

  it('tells which lines it has cut', () => {
    const lines: [string, boolean][] = [];
    const splitter = new LineSplitter((line, isCut) => lines.push([line, isCut]), 4);
    for (const chunk of ['1234\n123', '45\rü', 'ü\nüüü']) splitter.write(Buffer.from(chunk));
    splitter.end();
    expect(lines).toEqual([
      ['1234', false],
      ['1234', true],
      ['üü', false],
      ['üü', true],
    ]);
  });

  it('keeps empty lines', () => {
    expect(split([Buffer.from('\n\na')])).toEqual(['', '', 'a']);
  });

  it('takes each state of a line that is written over and over', () => {
    const expected = ['10%', '99%', '', 'done', 'last'];
    expect(split([Buffer.from('\r10%\r99%\r\r\n\ndone\r\nlast\r')])).toEqual(expected);
    const bytes = [...Buffer.from('\r10%\r99%\r\n\r\ndone\r\nlast')].map((byte) => Buffer.from([byte]));
    expect(split(bytes)).toEqual(expected);
  });

  it('ends lines by newlines alone where it is asked to', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line), undefined, 'newline');
    splitter.write(Buffer.from('time 10%\r99%\r\nnext'));
    splitter.end();
    expect(lines).toEqual(['time 10%\r99%', 'next']);
  });

  it('cuts text by its bytes', () => {
    expect(cutText('üüü', 5)).toBe('üü');
    expect(cutText('abc', 5)).toBe('abc');
  });
});

it('stamps are unique and increasing', () => {
  const stamps = Array.from({ length: 1000 }, nextTimestamp);
  expect(new Set(stamps).size).toBe(1000);
  expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
});
