import { expect, it } from 'vitest';
import type { BuildState } from '../../../lib/adapters/builds.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { recordBuild } from '../../../lib/core/engine/record-build.ts';
import { restart } from '../../../lib/core/engine/restart.ts';
import { stopBuild } from '../../../lib/core/engine/stop-build.ts';
import { getRevisionItem } from '../../../lib/core/items/revisions.ts';
import { interruptRevision } from '../../../lib/features/revisions/interrupt.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { revisionKeyOf } from '../../../lib/store/keys/index.ts';
import { limited } from '../../support/table/limited-table.ts';
import { isWrite } from '../../support/table/writes.ts';
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

/** A revision that waits for its build, whose id is not recorded yet. */
async function awaitingBuild() {
  const world = await aWorld();
  await register(world, 'machine');
  const { id } = await post(world, github('quick'));
  const { id: revisionId } = await inProgress(world, id, 'AWAITING_BUILD');
  const ref = { tenantId: world.caller.tenantId, deploymentId: id, revisionId };
  const stopped: string[] = [];
  const stop = async (buildId: string): Promise<void> => void stopped.push(buildId);
  const seen = (state: BuildState, buildId = 'build') => {
    const deps = { ...world.deps, builds: { state: async () => state, stop } };
    return recordBuild(limited(deps, functionRows.buildChanged.access), { buildId, ref });
  };
  const revision = () => getRevisionItem(world.deps.table, ref);
  return { world, ref, seen, stopped, revision };
}

it('a build that ends while its start is being recorded is not forgotten', async () => {
  const { world, seen, revision } = await awaitingBuild();
  const { middlewareStack } = world.deps.table.client;
  let writes = 0;
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (isWrite(commandName) && writes++ === 0) await seen({ state: 'running' });
        return next(args);
      },
    { step: 'initialize', name: 'meanwhile' },
  );
  await seen({ state: 'failed', message: 'it broke at once' });
  middlewareStack.remove('meanwhile');
  const { status, outcome } = await revision();
  expect([status, outcome]).toEqual([
    'BUILDING',
    { stage: 'build', result: 'failed', message: 'it broke at once' },
  ]);
});

it('a build that was started while its revision was being interrupted is stopped once it says that it runs', async () => {
  const { world, ref, seen, stopped } = await awaitingBuild();
  const params = { deployment_id: ref.deploymentId, revision_id: ref.revisionId };
  await interruptRevision(world.deps, { params }, world.caller);

  await seen({ state: 'running' });

  expect(stopped).toEqual(['build']);
});

it('a build that has just begun to wait is not said to wait for a builder', async () => {
  const { seen, revision } = await awaitingBuild();
  const before = await revision();
  await seen({ state: 'waiting' });
  expect(await revision()).toEqual(before);
});

it('why a build was to be stopped is not said of the one that is made after it was lost', async () => {
  const { world, seen, revision } = await awaitingBuild();
  await seen({ state: 'running' });
  await stopBuild(world.deps, await revision(), 'It took too long.');
  await seen({ state: 'lost' });

  await seen({ state: 'stopped' }, 'next');

  expect((await revision()).outcome).toMatchObject({ result: 'failed', message: 'The build was stopped.' });
});
