import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { restored, storable } from '../../../lib/store/dynamodb/free-keys.ts';

const keys = fc.constantFrom('a', 'constructor', '__proto__', '', '#json', 'toString', 'length');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 'text', '{"a":1}', 7, 0.5),
    fc.array(tie('value'), { maxLength: 3 }),
    // By entries: keys of JSON are the object's own.
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

it('any JSON comes out of the table as it went in', () => {
  fc.assert(
    fc.property(value, (given) => {
      const there = unmarshall(marshall({ given: storable(given) })).given;
      expect(JSON.stringify(restored(there))).toBe(JSON.stringify(given));
    }),
    { numRuns: 1_000 },
  );
});

it('what the table can keep by itself is left alone', () => {
  const item = {
    a: { b: [1, { c: 'x' }] },
    numbers: new Set([1]),
    bytes: new Uint8Array([1]),
    none: undefined,
  };
  expect(storable(item)).toBe(item);
  expect(restored(item)).toBe(item);
});
