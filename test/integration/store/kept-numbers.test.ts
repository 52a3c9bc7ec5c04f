import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { freeJson, keepingProblem, NUMBER_MAX } from '../../../lib/contract/validation/json.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { find } from '../../../lib/store/dynamodb/reads.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const key = { pk: 'T#tenant#X', sk: 'A' };

it.each([0, 1e-130, -1e-130, 0.1, NUMBER_MAX, -NUMBER_MAX, 5e15 + 0.5])(
  'keeps %d as it is',
  async (value) => {
    expect(keepingProblem({ deep: [value] })).toBeUndefined();
    const table = await freshTable();
    await transact(table, [put('thing', { ...key, value: { deep: [value] } })]);
    expect(await find(table, key, z.object({ value: freeJson }))).toEqual({
      value: { deep: [value] },
    });
  },
);

it.each([NUMBER_MAX + 1, -1e300, 1e-131, Number.MIN_VALUE, 4.626963307597358e191])(
  'refuses %d, which the table would not keep',
  async (value) => {
    expect(freeJson.safeParse([{ a: value }]).error?.issues[0]?.message).toMatch(/a number is 0, or between/);
    const table = await freshTable();
    await expect(transact(table, [put('thing', { ...key, value })])).rejects.toThrow();
  },
);

it('takes numbers that people write', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer(), fc.float({ noNaN: true, min: -1e6, max: 1e6 })), (value) => {
      if (value === 0 || Math.abs(value) > 1e-100) expect(keepingProblem(value)).toBeUndefined();
    }),
  );
});
