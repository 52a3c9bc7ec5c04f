import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { purge } from '../../../lib/core/engine/purge.ts';
import { findPlacement } from '../../../lib/core/items/placements.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { ConditionsFailed, transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { listening, offered } from '../../support/world/listening.ts';

describe('the removal of a deployment', () => {
  it('is not made by a look that another has overtaken: its listener is never given an older epoch', async () => {
    const world = await listening();
    const { deps, caller } = world;
    const { id: deploymentId } = await offered(world, 'app');
    const owner = { tenantId: caller.tenantId, deploymentId };
    const changed = (set: object) => {
      const key = deploymentKey(caller.tenantId, deploymentId);
      return transact(deps.table, [update('deployment', key, { set: { ...set }, remove: ['task_id'] })]);
    };
    const looked = async () => {
      const loaded = await load(deps, owner);
      if (loaded === undefined) throw new Error('the deployment is not there');
      return loaded;
    };
    await changed({ status: 'AWAITING_DELETE', slot: { kind: 'delete', since: 'now' } });
    const early = await looked();
    const epoch = early.deployment.epoch + 2;
    await changed({ epoch });

    await expect(purge(deps, early)).rejects.toBeInstanceOf(ConditionsFailed);

    await purge(deps, await looked());
    const { listener_id: listenerId } = early.deployment;
    const placement = await findPlacement(deps.table, { ...caller, listenerId }, deploymentId);
    expect(placement).toMatchObject({ epoch: epoch + 1 });
  });
});
