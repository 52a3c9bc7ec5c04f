import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { AgentServer } from '../../lib/contract/revision-status.ts';
import { findDeployment } from '../../lib/core/items/deployments.ts';
import { findRevision } from '../../lib/core/items/revisions.ts';
import { DURABLE_SINCE } from '../../lib/domain/runtime.ts';
import { claimTasks } from '../../lib/features/listener-protocol/claim.ts';
import { deploymentKeyOf, revisionKeyOf } from '../../lib/store/keys/index.ts';
import { until } from '../support/until.ts';
import { complete } from '../support/world/listening.ts';
import { change, github, post, redeploy, show, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import { buildStarted, claimed, deployBuilt, reaches } from '../support/world/steps.ts';

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

/** Builds a revision as one that starts such a server, and deploys it. */
async function deployed(
  world: RunningWorld,
  id: string,
  revisionId: string,
  server: AgentServer,
): Promise<void> {
  await buildStarted(world, revisionId);
  await world.deps.builds.succeed(revisionId, { server });
  await deployBuilt(world, id, revisionId);
}

const next = { source_revision_config: { repo_ref: 'next' } };

it('changes only for who accepts that threads stay behind; a rollback too', async () => {
  const world = await aRunningWorld();
  const own = { source_config: { runtime: 'command', start_command: 'make run' } };
  const { id, latest_revision_id: first } = await post(world, {
    ...github('app'),
    source_config: { ...github('app').source_config, ...own.source_config },
  });
  await deployed(world, id, first, 'langgraph');
  expect(world.deps.builds.jobs.get(`build-${first}`)).toMatchObject({ runtime: 'command' });
  const other = { source_config: { runtime: 'dev', start_command: '' } };
  const refused = /run in 'command', and in 'dev' none of their threads are there.*"accept_new_state": true/;
  await expect(change(world, id, other)).rejects.toThrow(refused);
  // What `auto` would choose is another one, too.
  await expect(
    change(world, id, { source_config: { ...other.source_config, runtime: 'auto' } }),
  ).rejects.toThrow(refused);
  const { latest_revision_id: second } = await change(world, id, { ...other, accept_new_state: true });
  await deployed(world, id, second, 'langgraph');
  expect(await runtimeOf(world, id)).toEqual({ resolved: 'dev', reason: 'source_config.runtime says so' });
  await expect(redeploy(world, id, first)).rejects.toThrow(/run in 'dev', and in 'command'/);
  const back = await redeploy(world, id, first, {}, { accept_new_state: true });
  await deployBuilt(world, id, back.latest_revision_id);
  expect(await runtimeOf(world, id)).toEqual({
    resolved: 'command',
    reason: 'a revision that ran in it was deployed again',
  });
});

it('asks nobody who never named one: a server of its own may come and go, and be deployed again', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await deployed(world, id, first, 'other');
  const { latest_revision_id: second } = await change(world, id, next);
  await deployed(world, id, second, 'langgraph');
  for (const again of [first, first, second]) {
    const { latest_revision_id: latest } = await redeploy(world, id, again);
    await deployBuilt(world, id, latest);
    expect((await showRevision(world, id, latest)).runtime_resolved).toBe(
      again === first ? 'command' : 'dev',
    );
    // The threads of the graphs stay where they are.
    expect((await runtimeOf(world, id)).resolved).toBe('dev');
  }
});

it('is known of what an earlier release has deployed, when that is deployed again', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await deployed(world, id, first, 'langgraph');
  const ref = { tenantId: world.caller.tenantId, deploymentId: id };
  for (const Key of [
    deploymentKeyOf({ tenant_id: ref.tenantId, id }),
    revisionKeyOf({ ...ref, revisionId: first }),
  ])
    await world.deps.table.client.send(
      new UpdateCommand({
        TableName: world.deps.table.name,
        Key,
        UpdateExpression: 'REMOVE #runtime',
        ExpressionAttributeNames: { '#runtime': 'runtime' },
      }),
    );
  const own = { runtime: 'command', start_command: 'make run' };
  await expect(change(world, id, { source_config: own })).rejects.toThrow(/run in 'dev', and in 'command'/);
  const { latest_revision_id: second } = await change(world, id, {
    source_config: own,
    accept_new_state: true,
  });
  await deployed(world, id, second, 'langgraph');
  await expect(redeploy(world, id, first)).rejects.toThrow(/run in 'command', and in 'dev'/);
  const back = await redeploy(world, id, first, {}, { accept_new_state: true });
  await deployBuilt(world, id, back.latest_revision_id);
  expect((await runtimeOf(world, id)).resolved).toBe('dev');
});

it('is refused at once where a langgraph.json that stays is left without a command', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, {
    ...github('app'),
    source_config: { ...github('app').source_config, runtime: 'command', start_command: 'make run' },
  });
  await deployed(world, id, first, 'langgraph');
  await expect(change(world, id, { source_config: { start_command: '' } })).rejects.toThrow(
    /nothing says how to start it.*Give a start_command/,
  );
  // Another commit may have a server of its own.
  const { latest_revision_id: second } = await change(world, id, {
    source_config: { start_command: '' },
    ...next,
  });
  await deployed(world, id, second, 'other');
});

const durable = (name: string) => ({
  ...github(name),
  source_config: { ...github(name).source_config, runtime: 'durable' },
});

/** The listener asks for work, and says its version. */
const claimAs = (world: RunningWorld, version: string) =>
  claimTasks(
    world.deps,
    {
      params: { listener_id: world.listenerId },
      body: { instance_id: 'one', version, max: 10, holding: [], wait_seconds: 0 },
    },
    world.caller,
  );

/** Builds a revision, and waits until it is offered. */
async function offeredDurable(world: RunningWorld, id: string, revisionId: string, wish: string) {
  await buildStarted(world, revisionId);
  expect(world.deps.builds.jobs.get(`build-${revisionId}`)).toMatchObject({ durable: wish });
  await world.deps.builds.succeed(revisionId, { server: 'langgraph', durable: true });
  await reaches(world, id, revisionId, 'AWAITING_DEPLOY');
  const { tenantId } = world.caller;
  const ref = { tenantId, deploymentId: id, revisionId };
  await until(async () => (await findRevision(world.deps.table, ref))?.task_id, { what: 'the task' });
}

it('is built for the durable server and handed over as that, and is so from then on', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, durable('app'));
  await offeredDurable(world, id, first, 'asked');
  const { tasks } = await claimAs(world, DURABLE_SINCE);
  expect(tasks).toMatchObject([{ kind: 'DEPLOY', runtime: 'durable' }]);
  expect((await runtimeOf(world, id)).resolved).toBe('durable');
  await complete(world, tasks[0], 'succeeded', { url: 'http://localhost:4401/d/it' });
  const { latest_revision_id: second } = await change(world, id, {
    source_config: { runtime: 'auto' },
  });
  await buildStarted(world, second);
  expect(world.deps.builds.jobs.get(`build-${second}`)).toMatchObject({ durable: 'kept' });
});

it('is not handed to a listener that says only then that it does not know it', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, durable('app'));
  await offeredDurable(world, id, first, 'asked');
  expect((await claimAs(world, '0.1.0')).tasks).toEqual([]);
  expect(await reaches(world, id, first, 'DEPLOY_FAILED')).toMatchObject({
    status_message: expect.stringMatching(/listener machine has version 0\.1\.0\. Update it/),
  });
});
