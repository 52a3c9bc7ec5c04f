import { describe, expect, it } from 'vitest';
import { findComputeUse, noteComputeUse } from '../../lib/core/items/compute-use.ts';
import { getListener } from '../../lib/features/listeners/get.ts';
import {
  aDrivenWorld,
  type DrivenWorld,
  imageOf,
  next,
  postImage,
  serving,
} from '../support/world/driven-world.ts';
import { register, remove } from '../support/world/requests.ts';
import { isGone, reaches } from '../support/world/steps.ts';

describe('the balancer that all agents share', () => {
  const listenerOf = ({ deps, caller, listenerId }: DrivenWorld) =>
    getListener(deps, { params: { listener_id: listenerId } }, caller);
  const capacityOf = async (world: DrivenWorld) => (await listenerOf(world)).capacity;
  /** What a driver would have counted just now. */
  const counted = ({ deps }: DrivenWorld, groups: number, rules: number) =>
    noteComputeUse(deps.table, {
      at: deps.clock.now(),
      target_groups: { in_use: groups, quota: 100 },
      rules: { in_use: rules, quota: 100 },
    });

  it('is shown with what is in use, which is written only when it changes', async () => {
    const world = await aDrivenWorld();
    await serving(world, 'app');
    const first = await capacityOf(world);
    expect(first).toMatchObject({
      target_groups: { in_use: 1, quota: 100 },
      rules: { in_use: 2, quota: 100 },
    });
    const { quotasAsked } = world.compute;
    await world.sweepFor(300);
    expect([await capacityOf(world), world.compute.quotasAsked]).toEqual([first, quotasAsked]);
    const id = await serving(world, 'other');
    expect(await capacityOf(world)).toMatchObject({ target_groups: { in_use: 2 }, rules: { in_use: 4 } });
    await remove(world, id);
    await isGone(world, id);
    expect(await capacityOf(world)).toMatchObject({ target_groups: { in_use: 1 }, rules: { in_use: 2 } });
  });

  it('names nobody, and is shown with no other listener', async () => {
    const world = await aDrivenWorld();
    await serving(world, 'app');
    const other = world.as();
    const { id } = await register(other, 'machine');
    expect(
      (await getListener(other.deps, { params: { listener_id: id } }, other.caller)).capacity,
    ).toBeNull();
    const { sk: _, pk: __, ...stored } = (await findComputeUse(world.deps.table)) as Record<string, unknown>;
    expect(Object.keys(stored).toSorted()).toEqual(['at', 'entity', 'rules', 'target_groups', 'v']);
  });

  it.each([
    [100, 60, /has 0 of its 100 target groups free, and another agent needs 1:/],
    [60, 99, /has 1 of its 100 rules free, and another agent needs 2:/],
  ])('takes no new agent where it has %i target groups and %i rules in use', async (groups, rules, said) => {
    const world = await aDrivenWorld();
    await counted(world, groups, rules);
    await expect(postImage(world, 'app')).rejects.toMatchObject({ code: 'compute_full', message: said });
    // What is there already may still change.
    await counted(world, 99, 98);
    const id = await serving(world, 'app');
    await counted(world, 100, 100);
    await reaches(world, id, await next(world, id, 'two'), 'DEPLOYED');
  });

  it('is not judged by a count that may be over', async () => {
    const world = await aDrivenWorld();
    await counted(world, 100, 100);
    world.advance(31 * 60);
    const id = await serving(world, 'app');
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('one'));
  });

  it('keeps the later of two counts', async () => {
    const { deps } = await aDrivenWorld();
    const late = { target_groups: { in_use: 2, quota: 100 }, rules: { in_use: 4, quota: 100 } };
    await noteComputeUse(deps.table, { at: 2_000, ...late });
    await noteComputeUse(deps.table, { at: 1_000, ...late, rules: { in_use: 9, quota: 100 } });
    expect((await findComputeUse(deps.table))?.rules.in_use).toBe(4);
  });
});
