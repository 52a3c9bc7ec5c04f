import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnv } from '../../../console/logic/env-file.ts';

const valuesOf = (text: string): Record<string, string> =>
  Object.fromEntries(readEnv(text).entries.map(({ name, value }) => [name, value]));

describe('a pasted .env file', () => {
  it('gives its variables as the command line reads them', () => {
    const text = [
      '# the keys of the model',
      'MODEL_KEY=sk-1234 # of the team',
      'export REGION=eu-central-1',
      `QUOTED="one\\ntwo # no comment"`,
      "SINGLE='as it\\n is'",
      'EMPTY=',
      'KEY="-----BEGIN',
      'abc',
      '-----END"',
      'LAST=1',
    ].join('\r\n');
    expect(readEnv(text)).toEqual({
      problems: [],
      entries: [
        { line: 2, name: 'MODEL_KEY', value: 'sk-1234', note: undefined },
        { line: 3, name: 'REGION', value: 'eu-central-1', note: undefined },
        { line: 4, name: 'QUOTED', value: 'one\ntwo # no comment', note: undefined },
        { line: 5, name: 'SINGLE', value: 'as it\\n is', note: undefined },
        { line: 6, name: 'EMPTY', value: '', note: undefined },
        { line: 7, name: 'KEY', value: '-----BEGIN\nabc\n-----END', note: 'It has 3 lines.' },
        { line: 10, name: 'LAST', value: '1', note: undefined },
      ],
    });
  });

  it('names the lines that set nothing, and says what may not have been meant', () => {
    const { entries, problems } = readEnv(
      'A\n=x\nMY NAME=x\nPASSWORD=abc#def\nB="never closed\nC=1\nC=2\nD="x"y',
    );
    expect(problems).toEqual([
      { line: 1, why: 'It has no “=” between a name and a value.' },
      { line: 2, why: 'There is no name before the “=”.' },
      { line: 3, why: 'A name has no spaces.' },
    ]);
    expect(entries.map(({ name, value, note }) => [name, value, note])).toEqual([
      ['PASSWORD', 'abc', expect.stringContaining('quotes')],
      ['B', 'never closed\nC=1\nC=2\nD=', 'What stands after the closing quote is left out.'],
    ]);
    expect(readEnv('C=1\nC=2').entries).toEqual([
      { line: 2, name: 'C', value: '2', note: 'It replaces the one of line 1.' },
    ]);
    expect(readEnv('A="x').entries[0]?.note).toContain('never closed');
  });

  it('is read in the first 256 KiB, whatever it holds', () => {
    const { entries, problems } = readEnv(`A='\nB="\n${'C=`\n'.repeat(300_000)}`);
    expect(problems[0]?.why).toContain('256 KiB');
    expect(entries.length).toBeLessThan(4);
  });

  it('is read as Node reads it', () => {
    const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
    const text = fc.stringMatching(/^[a-z0-9 =\\n.:/@-]{1,12}$/).filter((each) => each.trim() !== '');
    // What Node makes of quotes that meet others in the middle of a line is no rule.
    const lines = fc.stringMatching(/^[a-z \n]{0,20}$/);
    const value = fc.oneof(
      text,
      ...['"', "'", '`'].map((quote) => lines.map((inside) => `${quote}${inside}${quote}`)),
      fc.tuple(text, text).map(([before, comment]) => `${before} # ${comment}`),
    );
    const line = fc.oneof(
      fc
        .tuple(fc.constantFrom('', 'export ', '  '), name, fc.constantFrom('=', ' = '), value)
        .map((parts) => parts.join('')),
      fc.constantFrom('', '# a comment', 'no value'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (all, end) => {
        const file = all.join(end);
        expect(valuesOf(file)).toEqual({ ...parseEnv(file) });
      }),
      { numRuns: 500 },
    );
  });
});
