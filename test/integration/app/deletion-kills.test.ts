import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/app/engine/situation.ts';
import { isWrite } from '../../support/table/writes.ts';
import { completed, leftOf, settle } from '../../support/world/deleting.ts';
import { claim, listening, offered } from '../../support/world/listening.ts';
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

/** Goes on after a kill at every write: each run of the engine makes one, and dies. Answers how many runs it took. */
async function settleWithKills(plane: World, id: string): Promise<number> {
  const owner = { tenantId: plane.caller.tenantId, deploymentId: id };
  for (let runs = 1; runs < 30; runs++) {
    const revive = dyingAfter(plane.deps.table.client, 1);
    const died = await settle(plane, id).then(
      () => false,
      (error: unknown) => error instanceof Error && error.message === 'killed',
    );
    revive();
    if (!died || (await load(plane.deps, owner)) === undefined) return runs;
  }
  throw new Error('it does not come to an end');
}

describe('a deletion that dies at every write', () => {
  it('goes on where it was', async () => {
    const self = await listening();
    const { plane } = self;
    const { id } = await offered(self, 'a', [{ name: 'A', value: 'b' }]);
    await completed(self, (await claim(self)).tasks[0], 'succeeded');
    await settle(plane, id);
    await ended(plane, (await post(plane, github('other'))).id, 'DEPLOYED');
    for (let n = 0; n < 3; n++) await change(plane, id, { secrets: [{ name: 'A', value: `b${n}` }] });
    await inProgress(plane, id, 'BUILDING');
    await remove(plane, id);
    expect(await settleWithKills(plane, id)).toBeGreaterThan(3);
    const task = (await claim(self)).tasks[0];
    expect(task).toMatchObject({ kind: 'DELETE', deployment_id: id });
    await completed(self, task, 'succeeded');
    expect(await settleWithKills(plane, id)).toBe(2);
    expect(await leftOf(plane, id)).toEqual([]);
    expect((await list(plane)).resources.map(({ name }) => name)).toEqual(['other']);
    await post(plane, github('a'));
  });
});
