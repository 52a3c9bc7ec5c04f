import { expect, it } from 'vitest';
import { create as createDispatch } from '../../../functions/streams/dispatch.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { limited } from '../../support/table/limited-table.ts';
import { inProgress } from '../../support/world/processed.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

it('records of a deployment that could not be looked at come again, and only those', async () => {
  const world = await aWorld();
  const { tenantId } = world.caller;
  await register(world, 'machine');
  const [broken, fine] = [await post(world, github('broken')), await post(world, github('fine'))];
  for (const { id } of [broken, fine]) await inProgress(world, id, 'QUEUED');
  const started: string[] = [];
  world.deps.workflow.start = async (_, { deploymentId }) => {
    if (deploymentId === broken.id) throw new Error('down');
    started.push(deploymentId);
    return 'started';
  };
  const record = (SequenceNumber: string, id: string) => {
    const { pk, sk } = deploymentKey(tenantId, id);
    return { dynamodb: { SequenceNumber, Keys: { pk: { S: pk }, sk: { S: sk } } } };
  };
  const dispatch = createDispatch(() => limited(world.deps, functionRows.dispatch.access));
  const Records = [record('1', broken.id), record('2', fine.id), record('3', broken.id)];
  expect(await dispatch({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: '1' }, { itemIdentifier: '3' }],
  });
  expect(started).toEqual([fine.id]);
});
