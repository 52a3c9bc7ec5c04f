import { expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { markDeath, restart } from '../../../lib/core/engine/restart.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { revisionKeyOf } from '../../../lib/store/keys/index.ts';
import { FakeBuilds } from '../../support/world/fake-builds.ts';
import { inProgress } from '../../support/world/processed.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

/** A revision whose build runs, and whose execution has died twice. */
async function diedTwice() {
  const world = await aWorld();
  await register(world, 'machine');
  const { id: deploymentId } = await post(world, github('app'));
  const { id: revisionId } = await inProgress(world, deploymentId, 'BUILDING');
  const ref = { tenantId: world.caller.tenantId, deploymentId, revisionId };
  const set = { build_id: 'build', deaths: { stage: 'build', count: 2 } };
  await transact(world.deps.table, [update('revision', revisionKeyOf(ref), { set })]);
  const builds = new FakeBuilds();
  const looked = async () => {
    const loaded = await load(world.deps, ref);
    if (loaded?.slotRevision === undefined) throw new Error('no revision has the slot');
    return { loaded, slotRevision: loaded.slotRevision };
  };
  return { deps: { ...world.deps, builds }, builds, looked };
}

const FAILED = { stage: 'build', result: 'failed', message: expect.stringContaining('stopped 3 times') };

it('the third death of an execution stops the build that runs before it fails the revision', async () => {
  const { deps, builds, looked } = await diedTwice();
  await restart(deps, (await looked()).loaded, true);
  expect(builds.stopped).toEqual(['build']);
  expect((await looked()).slotRevision.outcome).toEqual(FAILED);
});

it('the third death that an execution notes itself waits for a look that stops the build', async () => {
  const { deps, builds, looked } = await diedTwice();
  expect(await markDeath(deps, (await looked()).slotRevision, 'Sandbox.Timedout')).toBe('marked');
  expect((await looked()).slotRevision.outcome).toBeUndefined();

  await restart(deps, (await looked()).loaded, true);
  expect(builds.stopped).toEqual(['build']);
  expect((await looked()).slotRevision.outcome).toEqual(FAILED);
});
