import { expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { restart } from '../../../lib/core/engine/restart.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { revisionKeyOf } from '../../../lib/store/keys/index.ts';
import { inProgress } from '../../support/world/processed.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

/** When a build is due, that was due at 1,000 before its execution was taken up again. */
async function dueAfterRestart(facts: object): Promise<number | undefined> {
  const world = await aWorld();
  await register(world, 'machine');
  const { id: deploymentId } = await post(world, github('app'));
  const { id: revisionId } = await inProgress(world, deploymentId, 'AWAITING_BUILD');
  const ref = { tenantId: world.caller.tenantId, deploymentId, revisionId };
  const set = { build_due_at: 1_000, ...facts };
  await transact(world.deps.table, [update('revision', revisionKeyOf(ref), { set })]);
  const loaded = await load(world.deps, ref);
  if (loaded === undefined) throw new Error('no deployment');
  const started = { ...world.deps.workflow, start: async () => 'started' as const };
  await restart({ ...world.deps, workflow: started }, loaded, true);
  return (await load(world.deps, ref))?.slotRevision?.build_due_at;
}

it('the time of a build that a crash kept from starting begins anew', async () => {
  expect(await dueAfterRestart({})).toBeUndefined();
  expect(await dueAfterRestart({ at_capacity: true })).toBeUndefined();
});

it('the time of a build that waits for a builder, or runs, goes on', async () => {
  expect(await dueAfterRestart({ restart: { attempt: 1, cause: 'BuildsAtCapacity' } })).toBe(1_000);
  expect(await dueAfterRestart({ build_id: 'build' })).toBe(1_000);
});
