import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isNull,
  itemsOf,
  membersOf,
  mergedOf,
  objectOf,
} from '../../../lib/agent-runtime/tables/raw-json.ts';
import { growth, SUPER_LINEAR } from '../../support/growth.ts';

const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/);

/** An object as somebody may write it: with white space anywhere, and numbers that no double holds. */
const written = fc
  .array(
    fc.tuple(
      fc.string({ unit: 'binary' }),
      fc.oneof(
        fc.json(),
        fc.constantFrom('9007199254740993', '1.0', '-0', '1e400', '"\\u0000\\\\\\""', '{"a":[{}]}'),
      ),
      space,
      space,
    ),
    { maxLength: 6 },
  )
  .map((members) => {
    const parts = members.map(([name, value, a, b]) => `${a}${JSON.stringify(name)}${b}:${a}${value}${b}`);
    return { text: `{${parts.join(',')}${parts.length === 0 ? ' ' : ''}}`, members };
  });

describe('members of a raw object', () => {
  it('are what was written, to the letter', () => {
    fc.assert(
      fc.property(written, ({ text, members }) => {
        expect([...membersOf(text)]).toEqual([
          ...new Map(members.map(([name, value]) => [name, value.trim()])),
        ]);
      }),
    );
  });

  it('make an object again that says the same', () => {
    fc.assert(
      fc.property(written, ({ text }) => {
        expect(JSON.parse(objectOf(membersOf(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('are merged with those of another, which win', () => {
    expect(mergedOf('{"a": 1.0, "b": 9007199254740993}', '{"b":{"c":1.0}}')).toBe('{"a":1.0,"b":{"c":1.0}}');
  });

  it.each(['[1]', '"a"', 'null', '1', '{}', ' { } '])('are none of %s', (text) => {
    expect([...membersOf(text)]).toEqual([]);
  });

  it('may be absent or null', () => {
    const members = membersOf('{"a":null,"b":"null"}');
    expect([isNull(members.get('a')), isNull(members.get('b')), isNull(members.get('c'))]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it.each([
    ['backslashes', (n: number) => `{"a":"${'\\\\'.repeat(n)}"}`],
    ['brackets', (n: number) => `{"a":${'['.repeat(n)}${']'.repeat(n)}}`],
    ['members', (n: number) => `{"x":0${',"a":[1]'.repeat(n)}}`],
    ['an end that is missing', (n: number) => `{"a":"${'b'.repeat(n)}`],
  ])('are found in time that grows as the text does, with %s', (_, text) => {
    const measure = (length: number) => {
      const made = text(length);
      return () => membersOf(made);
    };
    expect(growth(3_000, measure)).toBeLessThan(SUPER_LINEAR);
  });
});

describe('items of a raw list', () => {
  it('are what was written, to the letter', () => {
    const lists = fc.array(fc.jsonValue().map((value) => JSON.stringify(value)));
    fc.assert(
      fc.property(lists, (items) => {
        expect(itemsOf(`[${items.join(' , ')}]`)).toEqual(items);
      }),
    );
  });
});
