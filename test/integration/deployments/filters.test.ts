import { describe, expect, it } from 'vitest';
import { packedId, rowOf, unpackedId } from '../../../lib/core/items/deployment-rows.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import type { Deployment } from '../../../lib/core/items/items.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { deploymentKey, deploymentRowKey } from '../../../lib/store/keys/index.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { putAll } from '../../support/table/put-all.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { ended } from '../../support/world/processed.ts';
import { github, list, post, postRevision, register, remove } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Query = Record<string, string>;
type Active = NonNullable<Deployment['active']>;
const PASSED = 200;

const names = async (world: World, query: Query) =>
  (await list(world, query)).resources.map(({ name }) => name);

async function withReady(name: string): Promise<{ world: World; model: Deployment }> {
  const world = await aWorld();
  await register(world, 'machine');
  return { world, model: await ready(world, name) };
}

async function ready(world: World, name: string): Promise<Deployment> {
  const { id } = await post(world, github(name));
  await ended(world, id, 'DEPLOYED', { outcome: { image_version: 'v1.12.4' } });
  const found = await findDeployment(world.deps.table, world.caller.tenantId, id);
  if (found === undefined) throw new Error('nothing was made');
  return found;
}

/**
 * Rows of deployments that are older than all that are really made, of which the active revision is so; the
 * oldest is there itself.
 */
async function withOlder({ deps }: World, model: Deployment, active: Partial<Active>): Promise<void> {
  if (model.active === undefined) throw new Error('nothing serves');
  const changed = { ...model.active, ...active };
  const older = Array.from({ length: PASSED }, (_, index): Deployment => {
    const id = `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
    return { ...model, id, name: `older-of-team-number-${index}`, active: changed };
  });
  const [oldest] = older;
  if (oldest !== undefined)
    await putAll(deps.table, [{ ...deploymentKey(oldest.tenant_id, oldest.id), ...oldest }]);
  await putAll(
    deps.table,
    older.map((one) => ({ ...deploymentRowKey(one.tenant_id, one.id), ...rowOf(one) })),
  );
}

async function report(world: World, of: Deployment, healthy: boolean, runs = true): Promise<number> {
  const revision_id = runs ? (of.active?.revision_id ?? null) : null;
  const { accepted } = await reportStatus(
    world.deps,
    {
      params: { listener_id: of.listener_id },
      body: { reports: [{ deployment_id: of.id, epoch: 99, revision_id, healthy }] },
    },
    world.caller,
  );
  return accepted;
}

describe('the cost of a list of deployments that is filtered by how they are', () => {
  it('is at most 5 units for a hundred that are passed over', async () => {
    const { world, model } = await withReady('newest');
    await report(world, model, true);
    const cost = async (query: Query) =>
      (await unitsOf(world.deps.table.client, () => list(world, { limit: '1', ...query }))).reads;
    // Beside the rows: the newest one's, and whether the listener is online. A deployment that is shown is
    // read.
    const bound = (PASSED / 100) * 5 + 2;
    await withOlder(world, model, {});
    expect(await cost({ status: 'UNKNOWN' })).toBeLessThanOrEqual(bound);
    expect(await cost({ remote_reconciled: 'false' })).toBeLessThanOrEqual(bound);
    expect(await cost({ name_contains: 'no-such-name' })).toBeLessThanOrEqual(bound);
    expect(await cost({ status: 'READY', offset: String(PASSED) })).toBeLessThanOrEqual(bound + 1);
    expect(await cost({ remote_reconciled: 'true', offset: String(PASSED) })).toBeLessThanOrEqual(bound + 1);
    await withOlder(world, model, { healthy: false, reconciled: false });
    expect(await cost({ status: 'READY', offset: '1' })).toBeLessThanOrEqual(bound + 1);
    expect(await cost({ remote_reconciled: 'true', offset: '1' })).toBeLessThanOrEqual(bound + 1);
  });
});

describe('the rows of the list of deployments', () => {
  it('follow what listeners report and what a failed deploy leaves behind', async () => {
    const { world, model } = await withReady('a');
    const shown = async () => ({
      ready: await names(world, { status: 'READY' }),
      unknown: await names(world, { status: 'UNKNOWN' }),
      reconciled: await names(world, { remote_reconciled: 'true' }),
    });
    await report(world, model, true);
    expect(await shown()).toEqual({ ready: ['a'], unknown: [], reconciled: ['a'] });
    await report(world, model, false);
    expect(await shown()).toEqual({ ready: [], unknown: ['a'], reconciled: ['a'] });
    await report(world, model, true, false);
    expect(await shown()).toEqual({ ready: [], unknown: ['a'], reconciled: [] });
    await report(world, model, true);
    expect(await shown()).toEqual({ ready: ['a'], unknown: [], reconciled: ['a'] });
    await postRevision(world, model.id);
    await ended(world, model.id, 'DEPLOY_FAILED', { outcome: { previous_serving: false } });
    expect(await shown()).toEqual({ ready: [], unknown: ['a'], reconciled: ['a'] });
    await postRevision(world, model.id);
    await ended(world, model.id, 'DEPLOYED');
    expect(await shown()).toEqual({ ready: ['a'], unknown: [], reconciled: ['a'] });
  });

  it('do not come back by a report, at whatever moment of it the deployment is deleted', async () => {
    const { world } = await withReady('kept');
    let calls = 0;
    for (let at = 0; at <= calls; at += 1) {
      const model = await ready(world, `deleted-${at}`);
      const interrupted = interruptedAt(world.deps, at, () => remove(world, model.id));
      expect(await report({ ...world, deps: interrupted.deps }, model, false)).toBe(1);
      await remove(world, model.id);
      calls = interrupted.calls();
      expect(await names(world, {})).toEqual(['kept']);
      // Whether it runs while it is being deleted only the deployment tells.
      expect(await report(world, model, false, false)).toBe(1);
      const query = { status: 'AWAITING_DELETE', limit: '1' };
      expect(await names(world, { ...query, remote_reconciled: 'false' })).toEqual([model.name]);
      expect(await report(world, model, true)).toBe(1);
      expect(await names(world, { ...query, remote_reconciled: 'true' })).toEqual([model.name]);
    }
    expect(calls).toBeGreaterThan(2);
  });

  it('name their listener by an id that is read back as it was', () => {
    const id = '01a1ffc4-7a93-701a-8e7a-b59c99df2f0d';
    expect(unpackedId(packedId(id))).toBe(id);
  });
});
