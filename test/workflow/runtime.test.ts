import { expect, it } from 'vitest';
import { findDeployment } from '../../lib/core/items/deployments.ts';
import { change, github, post, redeploy, show, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import { buildStarted, claimed, deploy, reaches } from '../support/world/steps.ts';

const runtimeOf = async (world: RunningWorld, id: string) => {
  const { runtime_resolved: resolved, runtime_reason: reason } = await show(world, id);
  return { resolved, reason };
};

it('is null until the first deploy begins, then resolved for good, with its reason', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('app'));
  expect(await runtimeOf(world, id)).toEqual({ resolved: null, reason: null });
  await buildStarted(world, first);
  await world.deps.builds.succeed(first, { server: 'langgraph' });
  expect(await claimed(world)).toMatchObject({ runtime: 'dev', on_release: null });
  expect(await runtimeOf(world, id)).toEqual({
    resolved: 'dev',
    reason: 'it is the usual one where the deployment runs',
  });
  expect((await showRevision(world, id, first)).runtime_resolved).toBe('dev');
});

it('stays though the installation chooses another one later', async () => {
  const world = await aRunningWorld({ computeType: 'k8s' });
  const { id, latest_revision_id: first } = await post(world, {
    name: 'image',
    source_config: { runtime: 'licensed', on_release: { waiting: 'refuse' } },
    source_revision_config: { image_uri: 'registry.example.com/app:1' },
  });
  expect(await claimed(world)).toMatchObject({ runtime: 'licensed', on_release: { waiting: 'refuse' } });
  expect((await showRevision(world, id, first, { include: 'configuration' })).configuration?.runtime).toBe(
    'licensed',
  );
});

it('fails the deploy of a source that has no graphs for it, before a listener hears of it', async () => {
  const world = await aRunningWorld();
  const body = { ...github('app'), source_config: { ...github('app').source_config, runtime: 'dev' } };
  const { id, latest_revision_id: first } = await post(world, body);
  await buildStarted(world, first);
  await world.deps.builds.succeed(first, { server: 'other' });
  const { status_message: message } = await reaches(world, id, first, 'DEPLOY_FAILED');
  expect(message).toMatch(/the source has no langgraph\.json.*set runtime to 'command' or 'auto'/);
  expect((await findDeployment(world.deps.table, world.caller.tenantId, id))?.epoch).toBe(0);
});

it('changes only for who accepts that threads stay behind; a rollback too', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await deploy(world, id, first);
  const other = { source_config: { runtime: 'dev' } };
  const now = (await runtimeOf(world, id)).resolved;
  expect(now).toBe('command');
  await expect(change(world, id, other)).rejects.toThrow(
    /run in 'command', and in 'dev' none of their threads are there.*"accept_new_state": true/,
  );
  const { latest_revision_id: second } = await change(world, id, { ...other, accept_new_state: true });
  await buildStarted(world, second);
  await world.deps.builds.succeed(second, { server: 'langgraph' });
  await claimed(world);
  expect(await runtimeOf(world, id)).toEqual({ resolved: 'dev', reason: 'source_config.runtime says so' });
  await expect(redeploy(world, id, first)).rejects.toThrow(/run in 'dev', and in 'command'/);
});
