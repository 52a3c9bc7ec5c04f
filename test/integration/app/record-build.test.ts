import { expect, it } from 'vitest';
import type { BuildState } from '../../../lib/adapters/builds.ts';
import { recordBuild } from '../../../lib/app/engine/record-build.ts';
import { getRevisionItem } from '../../../lib/store/engine/revisions.ts';
import { isWrite } from '../../support/table/writes.ts';
import { inProgress } from '../../support/world/processed.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

it('a build that ends while its start is being recorded is not forgotten', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  const { id } = await post(world, github('quick'));
  const revision = await inProgress(world, id, 'AWAITING_BUILD');
  const ref = { tenantId: world.caller.tenantId, deploymentId: id, revisionId: revision.id };
  const seen = (state: BuildState) => {
    return recordBuild(
      { ...world.deps, builds: { state: async () => state, stop: async () => undefined } },
      { buildId: 'build', ref },
    );
  };
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
  const { status, outcome } = await getRevisionItem(world.deps.table, ref);
  expect([status, outcome]).toEqual([
    'BUILDING',
    { stage: 'build', result: 'failed', message: 'it broke at once' },
  ]);
});
