import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { anyObject } from '../../../lib/contract/validation/as-given.ts';
import { equals, put, update } from '../../../lib/store/dynamodb/expressions.ts';
import { storable } from '../../../lib/store/dynamodb/free-keys.ts';
import { find, queryPage } from '../../../lib/store/dynamodb/reads.ts';
import { ConditionsFailed, transact } from '../../../lib/store/dynamodb/transact.ts';
import { itemOf } from '../../../lib/store/stream-images.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const TEXT = '{"":[{"constructor":1}],"__proto__":{"a":null},"constructor":"x"}';
const hostile: object = JSON.parse(TEXT);
const key = { pk: 'P', sk: 'S' };
const shape = z.object({ own: anyObject() });
const text = (item: { own: object } | undefined) => JSON.stringify(item?.own);

it('an object of any keys is found as it was put, updated and compared', async () => {
  const table = await freshTable();
  await transact(table, [put('item', { ...key, own: hostile })]);
  expect(text(await find(table, key, shape))).toBe(TEXT);
  const more = { ...hostile, more: 1 };
  await transact(table, [update('item', key, { set: { own: more } }, equals('own', hostile))]);
  const { items } = await queryPage(table, shape, { pk: key.pk });
  expect(items.map(text)).toEqual([JSON.stringify(more)]);
  const late = transact(table, [update('item', key, { set: { own: {} } }, equals('own', hostile))]);
  const error = await late.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConditionsFailed);
  const found = error instanceof ConditionsFailed ? error.failed.get('item') : undefined;
  expect(text(shape.parse(found))).toBe(JSON.stringify(more));
});

it('a record of the stream shows it so, too', () => {
  const image = marshall({ ...key, own: storable(hostile) });
  expect(text(shape.parse(itemOf(image)))).toBe(TEXT);
});

it('a text that was cut inside a character is kept without that half', async () => {
  const table = await freshTable();
  await transact(table, [put('item', { ...key, own: { a: ['cut \ud83d'], b: '😀' } })]);
  // The attributes of a map come back in any order.
  expect((await find(table, key, shape))?.own).toEqual({ a: ['cut \ufffd'], b: '😀' });
});
