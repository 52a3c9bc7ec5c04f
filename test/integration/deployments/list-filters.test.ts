import { expect, it } from 'vitest';
import { listDeployments } from '../../../lib/contract/routes/deployments.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { deploymentRowKey } from '../../../lib/store/keys/index.ts';
import { github, list, post, register, remove, revisions } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

async function typed() {
  const world = await aWorld();
  await register(world, 'machine');
  const make = async (name: string, deployment_type?: string) => {
    const source_config = { repo_url: 'https://example.com/repo.git', deployment_type };
    return (await post(world, github(name, { source_config }))).id;
  };
  return { world, make };
}

it('a list is filtered by the type of deployments, also by rows of an earlier release, without short pages', async () => {
  const { world, make } = await typed();
  const long = 'a-type-of-deployments-with-a-long-name';
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    ids.push(await make(`dev-${n}`, 'dev'));
    await make(`prod-${n}`, 'prod');
    await make(`long-${n}`, long);
    await make(`none-${n}`);
  }
  const { tenantId } = world.caller;
  const old = update('row', deploymentRowKey(tenantId, ids[1] ?? ''), { set: { v: 1 }, remove: ['type'] });
  await write(world.deps.table, old);
  const names = async (deployment_type: string, more = {}) =>
    (await list(world, { deployment_type, ...more })).resources.map(({ name }) => name);
  expect(await names('dev')).toEqual(['dev-2', 'dev-1', 'dev-0']);
  expect(await names('dev', { limit: '2' })).toEqual(['dev-2', 'dev-1']);
  expect(await names('dev', { limit: '2', offset: '2' })).toEqual(['dev-0']);
  expect(await names(long)).toEqual(['long-2', 'long-1', 'long-0']);
  expect(await names('dev', { name_contains: '1', status: 'UNUSED' })).toEqual(['dev-1']);
  expect(await names('prod', { name: 'dev-1' })).toEqual([]);
  expect(await names('dev', { name: 'dev-1' })).toEqual(['dev-1']);
  expect(await names('dev_free')).toEqual([]);
  await remove(world, ids[0] ?? '');
  expect(await names('dev', { status: 'AWAITING_DELETE' })).toEqual(['dev-0']);
  expect(await names('prod', { status: 'AWAITING_DELETE' })).toEqual([]);
});

it('nothing has a tag, whatever else is asked for', async () => {
  const { world, make } = await typed();
  await make('app');
  const tag = world.deps.clock.randomId();
  expect(await list(world, { tag_value_ids: tag })).toEqual({ resources: [], offset: 0 });
  expect(await list(world, { tag_value_ids: 'x,y', name: 'app' })).toEqual({ resources: [], offset: 0 });
  expect(listDeployments.query.parse({ tag_value_ids: ',' }).tag_value_ids).toBeUndefined();
  expect((await list(world, {})).resources).toHaveLength(1);
});

it.each(['AWAITING_DATABASE', 'AWAITING_FINAL_DELETE'])('%s is a status that nothing has', async (status) => {
  const { world, make } = await typed();
  const id = await make('app');
  expect(await list(world, { status })).toEqual({ resources: [], offset: 0 });
  expect((await list(world, { status: `${status},UNUSED` })).resources).toHaveLength(1);
  expect(await revisions(world, id, { status })).toEqual({ resources: [], offset: 0 });
  expect((await revisions(world, id, { status: `${status},QUEUED` })).resources).toHaveLength(1);
});
