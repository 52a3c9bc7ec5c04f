import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../lib/contract/errors.ts';
import { until } from '../support/until.ts';
import { claim, complete, heartbeat } from '../support/world/listening.ts';
import { change, github, interrupt, post, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import { buildStarted, claimed, deploy, deployBuilt, reaches } from '../support/world/steps.ts';

/** A deployment with one revision in progress and one behind it. */
async function twoRevisions(world: RunningWorld) {
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await buildStarted(world, first);
  const { latest_revision_id: second } = await change(world, id, {
    source_revision_config: { repo_ref: 'next' },
  });
  return { id, first, second };
}

describe('an interrupt', () => {
  it('ends a queued revision at once and leaves the others in order', async () => {
    const world = await aRunningWorld();
    const { id, first, second } = await twoRevisions(world);
    const { latest_revision_id: third } = await change(world, id, {
      source_revision_config: { repo_ref: 'third' },
    });
    expect(await showRevision(world, id, third)).toMatchObject({ queue_position: 2 });
    expect((await showRevision(world, id, second)).status_message).toContain(first);
    expect(await interrupt(world, id, second)).toMatchObject({ status: 'INTERRUPTED' });
    expect(await showRevision(world, id, third)).toMatchObject({ status: 'QUEUED', queue_position: 1 });
    await deploy(world, id, first);
    await deploy(world, id, third);
  });

  it('stops a build for real, and the next revision goes on', async () => {
    const world = await aRunningWorld();
    const { id, first, second } = await twoRevisions(world);
    await world.deps.builds.become(`build-${first}`, { state: 'running' });
    await reaches(world, id, first, 'BUILDING');
    const asked = await interrupt(world, id, first);
    expect(asked.interrupt_requested_at).toBeTruthy();
    await reaches(world, id, first, 'INTERRUPTED');
    expect(world.deps.builds.stopped).toContain(`build-${first}`);
    await deploy(world, id, second);
    await expect(interrupt(world, id, first)).resolves.toMatchObject({ status: 'INTERRUPTED' });
  });

  it('withdraws a task that nobody has claimed', async () => {
    const world = await aRunningWorld();
    const { id, first, second } = await twoRevisions(world);
    await world.deps.builds.succeed(first);
    await until(async () => (await showRevision(world, id, first)).status === 'AWAITING_DEPLOY', {
      what: 'the first to await its deploy',
    });
    await interrupt(world, id, first);
    await reaches(world, id, first, 'INTERRUPTED');
    expect((await claim(world)).tasks).toEqual([]);
    await deploy(world, id, second);
  });

  it('cancels a claimed task; the next deploy is offered only when that is acknowledged', async () => {
    const world = await aRunningWorld();
    const { id, first, second } = await twoRevisions(world);
    await world.deps.builds.succeed(first);
    const task = await claimed(world);
    await interrupt(world, id, first);
    await reaches(world, id, first, 'INTERRUPTED');
    await buildStarted(world, second);
    await world.deps.builds.succeed(second);
    await reaches(world, id, second, 'AWAITING_DEPLOY');
    expect(await heartbeat(world, task)).toEqual({ stop: true });
    expect(await claim(world)).toMatchObject({ tasks: [], cancelled: [task.task_id] });
    expect(await complete(world, task, 'succeeded')).toEqual({ accepted: false });
    await deployBuilt(world, id, second);
  });

  it('gives up waiting for a silent listener when the lease has run out', async () => {
    const world = await aRunningWorld();
    const { id, first, second } = await twoRevisions(world);
    await world.deps.builds.succeed(first);
    const lost = await claimed(world);
    await interrupt(world, id, first);
    await reaches(world, id, first, 'INTERRUPTED');
    await buildStarted(world, second);
    await world.deps.builds.succeed(second);
    await reaches(world, id, second, 'AWAITING_DEPLOY');
    world.advance(61);
    await world.sweep();
    const next = await claimed(world, 'two');
    expect(next).toMatchObject({ revision_id: second });
    expect(next.epoch).toBeGreaterThan(lost.epoch);
    expect(await complete(world, lost, 'succeeded')).toEqual({ accepted: false });
    await complete(world, next, 'succeeded');
    await reaches(world, id, second, 'DEPLOYED');
  });

  it('and the switch exclude each other, whichever is first', async () => {
    const world = await aRunningWorld();
    const { id, first } = await twoRevisions(world);
    await world.deps.builds.succeed(first);
    const task = await claimed(world);
    expect(await heartbeat(world, task, 'switching')).toEqual({ stop: false });
    await expect(interrupt(world, id, first)).rejects.toMatchObject({ status: 409 });
    await complete(world, task, 'succeeded');
    await reaches(world, id, first, 'DEPLOYED');
    await expect(interrupt(world, id, first)).rejects.toBeInstanceOf(ApiError);
  });
});

describe('a heartbeat', () => {
  it('that comes at the moment of a claim hears that the lease is renewed, never that it should stop', async () => {
    const world = await aRunningWorld();
    const { id, first } = await twoRevisions(world);
    await world.deps.builds.succeed(first);
    const task = await claimed(world);
    const { client, name } = world.deps.table;
    const renewed: Awaited<ReturnType<typeof claim>>[] = [];
    const send = async (command: TransactWriteCommand) => {
      if (command instanceof TransactWriteCommand && renewed.length === 0) renewed.push(await claim(world));
      return client.send(command);
    };
    const racing = new Proxy(client, {
      get: (target, key) => (key === 'send' ? send : Reflect.get(target, key, target)),
    });
    const deps = { ...world.deps, table: { client: racing, name } };
    await expect(heartbeat({ ...world, deps }, task, 'switching')).rejects.toMatchObject({ status: 409 });
    const [again] = renewed.flatMap((answer) => answer.tasks);
    expect(again?.task_id).toBe(task.task_id);
    if (again === undefined) return;
    expect(await heartbeat(world, again, 'switching')).toEqual({ stop: false });
    await complete(world, again, 'succeeded');
    await reaches(world, id, first, 'DEPLOYED');
  });
});
