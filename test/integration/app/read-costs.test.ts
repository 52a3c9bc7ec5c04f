import { describe, expect, it } from 'vitest';
import { github, list, post, postRevision, register, revisions } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

/**
 * Read capacity units that the queries of a request consume; reading the page's own items is another matter.
 */
async function queryUnits({ deps }: World, request: () => Promise<unknown>): Promise<number> {
  const stack = deps.table.client.middlewareStack;
  let units = 0;
  stack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'QueryCommand') return next(args);
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        // The document client's output of a query that was asked what it consumed.
        const output = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
        units += output.ConsumedCapacity?.CapacityUnits ?? Number.NaN;
        return result;
      },
    { step: 'initialize', name: 'units' },
  );
  await request();
  stack.remove('units');
  return units;
}

describe('the cost of a list of deployments', () => {
  it('is that of the rows it passes: at most 5 units a hundred', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    for (let n = 0; n < 130; n++) await post(world, github(`deployment-of-team-number-${n}`));
    const cost = (query: Record<string, string>) => queryUnits(world, () => list(world, query));
    expect(await cost({ limit: '1' })).toBe(1);
    expect(await cost({})).toBeLessThanOrEqual(2);
    expect(await cost({ offset: '100' })).toBeLessThanOrEqual(6);
    expect(await cost({ name_contains: 'number-12', limit: '1' })).toBeLessThanOrEqual(5);
    expect(await cost({ status: 'READY' })).toBeLessThanOrEqual(8);
  });
});

describe('the cost of a list of revisions', () => {
  it('is that of its page, wherever it starts', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const { id } = await post(world, github('a'));
    for (let n = 1; n < 100; n++) await postRevision(world, id);
    const cost = (query: Record<string, string>) => queryUnits(world, () => revisions(world, id, query));
    const first = await cost({});
    expect(first).toBeLessThanOrEqual(4);
    expect(await cost({ offset: '80' })).toBeLessThanOrEqual(first + 1);
    expect(await cost({ limit: '1' })).toBe(1);
    expect(await cost({ limit: '1', status: 'QUEUED' })).toBeLessThanOrEqual(4);
  });
});
