import { expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { takeSlot } from '../../../lib/core/engine/slots.ts';
import { countWaiting } from '../../../lib/core/items/deployment-rows.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentRowKey } from '../../../lib/store/keys/index.ts';
import { ended } from '../../support/world/processed.ts';
import {
  change,
  github,
  interrupt,
  post,
  postRevision,
  refusedWith,
  register,
  remove,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const waiting = ({ deps, caller }: World) => countWaiting(deps.table, caller.tenantId);

async function begin(world: World, id: string): Promise<void> {
  const owner = { tenantId: world.caller.tenantId, deploymentId: id };
  const loaded = await load(world.deps, owner);
  const number = loaded?.deployment.queued[0];
  if (loaded === undefined || number === undefined) throw new Error('nothing is queued');
  await takeSlot(world.deps, loaded, number);
}

async function aLimitedWorld(limit: number): Promise<World> {
  const world = await aWorld();
  await register(world, 'machine');
  world.deps.settings.limits.waitingRevisions = limit;
  return world;
}
const full = (limit: number) =>
  `409 ${limit} revisions of this tenant wait already, and the limit is ${limit}: `;

it('revisions that would wait are refused above the limit; what begins at once never is', async () => {
  const world = await aLimitedWorld(2);
  const [one, two] = [await post(world, github('a')), await post(world, github('b'))];
  expect(await waiting(world)).toBe(0);
  const behind = await postRevision(world, one.id);
  await change(world, two.id, { source_revision_config: { repo_ref: 'other' } });
  expect(await waiting(world)).toBe(2);
  expect(await refusedWith(postRevision(world, two.id))).toMatch(full(2));
  expect(await refusedWith(change(world, one.id, { secrets: [{ name: 'A', value: 'b' }] }))).toMatch(full(2));
  // No revision, no wait.
  await change(world, one.id, { source_config: { drain_seconds: 9 } });
  await post(world, github('c'));
  // The first of each begins: as many wait behind it.
  await begin(world, one.id);
  expect(await waiting(world)).toBe(2);
  await interrupt(world, one.id, behind.id);
  expect(await waiting(world)).toBe(1);
  await postRevision(world, two.id);
  expect(await refusedWith(postRevision(world, two.id))).toMatch(full(2));
});

it('a revision that begins, whichever it is, waits no more', async () => {
  const world = await aLimitedWorld(9);
  const { id } = await post(world, github('a'));
  for (let n = 0; n < 3; n++) await postRevision(world, id);
  expect(await waiting(world)).toBe(3);
  for (const left of [3, 2, 1, 0]) {
    await ended(world, id, 'BUILD_FAILED');
    expect(await waiting(world)).toBe(left);
  }
});

it('what is interrupted or deleted waits no more', async () => {
  const world = await aLimitedWorld(3);
  const { id } = await post(world, github('a'));
  const second = await postRevision(world, id);
  await postRevision(world, id);
  const other = await post(world, github('b'));
  await postRevision(world, other.id);
  expect(await waiting(world)).toBe(3);
  await interrupt(world, id, second.id);
  expect(await waiting(world)).toBe(2);
  await remove(world, other.id);
  expect(await waiting(world)).toBe(1);
});

it('a row from before waiting was counted is right after the next change', async () => {
  const world = await aLimitedWorld(9);
  const { id } = await post(world, github('a'));
  for (let n = 0; n < 3; n++) await postRevision(world, id);
  const key = deploymentRowKey(world.caller.tenantId, id);
  await transact(world.deps.table, [update('row', key, { remove: ['waiting'] })]);
  expect(await waiting(world)).toBe(0);
  await postRevision(world, id);
  expect(await waiting(world)).toBe(4);
  const stored = await findDeployment(world.deps.table, world.caller.tenantId, id);
  expect(stored?.queued).toHaveLength(5);
});
