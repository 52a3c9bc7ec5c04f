import { describe, expect, it } from 'vitest';
import { place } from '../../../lib/core/items/placements.ts';
import { getDesired } from '../../../lib/features/listener-protocol/desired.ts';
import type { StatusReports } from '../../../lib/features/listener-protocol/shape.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { type Item, transact } from '../../../lib/store/dynamodb/transact.ts';
import { openTaskKey } from '../../../lib/store/keys/index.ts';
import { placementKey } from '../../../lib/store/keys/placements.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { putAll } from '../../support/table/put-all.ts';
import { aDeployment, aTask } from '../../support/table/stored-items.ts';
import { claim, type Listening, listening, offered } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { github, post, postRevision, show } from '../../support/world/requests.ts';

const MANY = 1000;
const several = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const idOf = (index: number): string => `ffffffff-ffff-7fff-8fff-${String(index).padStart(12, '0')}`;

/** As many more tasks as a mass redeploy leaves waiting, behind all others. */
const tasksBehind = (world: Listening): Promise<void> =>
  putAll(
    world.deps.table,
    several(MANY, (index): Item => {
      const tenant_id = world.caller.tenantId;
      const id = idOf(index);
      const task = aTask({
        tenant_id,
        id,
        listener_id: world.listenerId,
        state: 'offered',
        deployment_id: id,
      });
      return { ...openTaskKey(tenant_id, world.listenerId, id), ...task };
    }),
  );

/** As many more deployments as a busy listener has. */
const placementsBeside = (world: Listening): Promise<void> =>
  putAll(
    world.deps.table,
    several(MANY, (index): Item => {
      const tenant_id = world.caller.tenantId;
      const placement = {
        v: 1,
        entity: 'placement',
        tenant_id,
        deployment_id: idOf(index),
        revision_id: idOf(index),
        epoch: 3,
        held: false,
        custom_url: null,
      };
      return { ...placementKey(tenant_id, world.listenerId, idOf(index)), ...placement };
    }),
  );

describe('a claim', () => {
  it('reads what it gives, however many tasks wait', async () => {
    const costs = async (many: boolean) => {
      const world = await listening();
      for (const name of ['a', 'b', 'c']) await offered(world, name);
      if (many) await tasksBehind(world);
      const units = (work: () => Promise<unknown>) => unitsOf(world.deps.table.client, work);
      const given = await units(() => claim(world, 3));
      const held = (await claim(world, 3)).tasks.map(({ task_id }) => task_id);
      const full = async () => expect((await claim(world, 3, 'one', held)).tasks).toEqual([]);
      return { given, full: await units(full) };
    };
    const few = await costs(false);
    const many = await costs(true);
    expect(many.given.reads - few.given.reads).toBeLessThanOrEqual(1);
    expect(many.full.reads - few.full.reads).toBeLessThanOrEqual(1);
    expect(many.given.writes).toBe(few.given.writes);
  });

  it('goes on behind tasks that cannot be given, and behind those that others have', async () => {
    const world = await listening();
    const { listenerId } = world;
    const tenant_id = world.caller.tenantId;
    await putAll(
      world.deps.table,
      several(30, (index): Item => {
        const id = `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
        const state = index % 2 === 0 ? 'claimed' : 'offered';
        const task = aTask({
          tenant_id,
          id,
          listener_id: listenerId,
          state,
          deployment_id: id,
          instance_id: 'two',
        });
        return { ...openTaskKey(tenant_id, listenerId, id), ...task };
      }),
    );
    const { id } = await offered(world, 'a');
    expect((await claim(world, 1)).tasks.map((task) => task.deployment_id)).toEqual([id]);
  });

  it('knows what its instance holds behind many others', async () => {
    const world = await listening();
    const made = [await offered(world, 'a'), await offered(world, 'b')];
    const held = (await claim(world)).tasks.map(({ task_id }) => task_id);
    const { listenerId } = world;
    const tenant_id = world.caller.tenantId;
    await putAll(
      world.deps.table,
      several(30, (index): Item => {
        const id = `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
        const task = aTask({ tenant_id, id, listener_id: listenerId, state: 'offered', deployment_id: id });
        return { ...openTaskKey(tenant_id, listenerId, id), ...task };
      }),
    );
    expect(held).toHaveLength(made.length);
    expect((await claim(world, 2, 'one', held)).tasks).toEqual([]);
  });
});

describe('what should run', () => {
  const ask = (world: Listening, ifNoneMatch?: string, deployment_ids?: string[]) =>
    getDesired(
      world.deps,
      {
        params: { listener_id: world.listenerId },
        query: deployment_ids === undefined ? {} : { deployment_ids },
        headers: ifNoneMatch === undefined ? {} : { ifNoneMatch },
      },
      world.caller,
    );

  it('costs one small read while nothing has changed, and the same for one deployment of many', async () => {
    const world = await listening();
    const { table } = world.deps;
    await placementsBeside(world);
    const { version, deployments } = await ask(world);
    expect(deployments).toHaveLength(MANY);
    const again = await unitsOf(table.client, () => ask(world, `"${version}"`));
    expect(again).toEqual({ reads: 2, writes: 0 });
    const named = ask(world, undefined, [idOf(7), idOf(MANY)]);
    expect(await named).toMatchObject({ complete: false, deployments: [{ deployment_id: idOf(7) }] });
    expect((await unitsOf(table.client, () => ask(world, undefined, [idOf(7)]))).reads).toBe(3);
  });

  it('is another version after each change, whichever deployment it is of', async () => {
    const world = await listening();
    const { listenerId } = world;
    const versions = new Set([(await ask(world)).version]);
    for (let index = 0; index < 20; index++) {
      const deployment = aDeployment({
        tenant_id: world.caller.tenantId,
        listener_id: listenerId,
        id: idOf(index % 5),
      });
      await transact(world.deps.table, place(deployment, undefined, index, false));
      versions.add((await ask(world, [...versions].map((each) => `"${each}"`).join(', '))).version);
    }
    expect(versions.size).toBe(21);
    expect((await ask(world)).deployments).toHaveLength(5);
  });
});

describe('reports of status', () => {
  const tell = (world: Listening, reports: StatusReports) =>
    reportStatus(world.deps, { params: { listener_id: world.listenerId }, body: { reports } }, world.caller);

  async function serving(count: number) {
    const world = await listening();
    const reports: StatusReports = [];
    for (let index = 0; index < count; index++) {
      const { id } = await post(world, github(`d${index}`));
      const { id: revision_id } = await ended(world, id, 'DEPLOYED', { outcome: { epoch: 5 } });
      reports.push({ deployment_id: id, revision_id, epoch: 5, healthy: true });
    }
    return { world, reports };
  }

  it('that say the same again read no deployment', async () => {
    const { world, reports } = await serving(12);
    const { client } = world.deps.table;
    expect(await tell(world, reports)).toEqual({ accepted: 12 });
    const again = async () => expect(await tell(world, reports)).toEqual({ accepted: 12 });
    expect(await unitsOf(client, again)).toEqual({ reads: 3, writes: 0 });
  });

  it('are read anew after a report between them, and after a change of what should run', async () => {
    const { world, reports } = await serving(6);
    const [first] = reports;
    if (first === undefined) throw new Error('no report');
    const status = async () => (await show(world, first.deployment_id)).status;
    await tell(world, reports);
    await tell(world, [{ ...first, healthy: false, reason: 'it crashed' }]);
    expect(await status()).toBe('UNKNOWN');
    expect(await tell(world, reports)).toEqual({ accepted: 6 });
    expect(await status()).toBe('READY');
    await tell(world, reports);
    // Another revision is active now, and the reports still name the one before it.
    await postRevision(world, first.deployment_id);
    await ended(world, first.deployment_id, 'DEPLOYED', { outcome: { epoch: 5 } });
    expect(await status()).toBe('READY');
    await tell(world, reports);
    expect(await status()).toBe('UNKNOWN');
  });
});
