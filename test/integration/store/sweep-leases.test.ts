import { expect, it } from 'vitest';
import { releaseShard, takeShard } from '../../../lib/core/items/sweep-leases.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const lease = (holder: string, now: number) => ({ holder, now, until: now + 1000 });

it('lets one sweep have a shard, until it is given back or its time is over', async () => {
  const table = await freshTable();
  expect(await takeShard(table, 'due#0', lease('a', 0))).toBe(true);
  expect(await takeShard(table, 'due#0', lease('b', 1))).toBe(false);
  expect(await takeShard(table, 'due#0', lease('a', 2))).toBe(true);
  await releaseShard(table, 'due#0', 'b');
  expect(await takeShard(table, 'due#0', lease('b', 3))).toBe(false);
  await releaseShard(table, 'due#0', 'a');
  expect(await takeShard(table, 'due#0', lease('b', 4))).toBe(true);
  expect(await takeShard(table, 'due#0', lease('c', 2000))).toBe(true);
});
