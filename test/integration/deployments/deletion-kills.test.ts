import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { isWrite } from '../../support/table/writes.ts';
import { leftOf, settle } from '../../support/world/deleting.ts';
import { claim, complete, listening, offered } from '../../support/world/listening.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import { change, github, list, post, remove } from '../../support/world/requests.ts';
import type { World } from '../../support/world/world.ts';

/** Lets a client write so often, then never. */
function dyingAfter(client: DynamoDBDocumentClient, writes: number): () => void {
  let left = writes;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (isWrite(commandName) && left-- <= 0) throw new Error('killed');
        return next(args);
      },
    { step: 'initialize', name: 'dying' },
  );
  return () => void client.middlewareStack.remove('dying');
}

/**
 * Goes on after a kill at every write: each run of the engine makes one, and dies. Answers how many runs it
 * took.
 */
async function settleWithKills(world: World, id: string): Promise<number> {
  const owner = { tenantId: world.caller.tenantId, deploymentId: id };
  for (let runs = 1; runs < 30; runs++) {
    const revive = dyingAfter(world.deps.table.client, 1);
    const died = await settle(world, id).then(
      () => false,
      (error: unknown) => error instanceof Error && error.message === 'killed',
    );
    revive();
    if (!died || (await load(world.deps, owner)) === undefined) return runs;
  }
  throw new Error('it does not come to an end');
}

describe('a deletion that dies at every write', () => {
  it('goes on where it was', async () => {
    const world = await listening();
    const { id } = await offered(world, 'a', [{ name: 'A', value: 'b' }]);
    await complete(world, (await claim(world)).tasks[0], 'succeeded');
    await settle(world, id);
    await ended(world, (await post(world, github('other'))).id, 'DEPLOYED');
    for (let n = 0; n < 3; n++) await change(world, id, { secrets: [{ name: 'A', value: `b${n}` }] });
    await inProgress(world, id, 'BUILDING');
    await remove(world, id);
    expect(await settleWithKills(world, id)).toBeGreaterThan(3);
    const task = (await claim(world)).tasks[0];
    expect(task).toMatchObject({ kind: 'DELETE', deployment_id: id });
    await complete(world, task, 'succeeded');
    expect(await settleWithKills(world, id)).toBe(2);
    expect(await leftOf(world, id)).toEqual([]);
    expect((await list(world)).resources.map(({ name }) => name)).toEqual(['other']);
    await post(world, github('a'));
  });
});
