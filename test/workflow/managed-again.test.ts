import { describe, expect, it, vi } from 'vitest';
import { findDeployment } from '../../lib/core/items/deployments.ts';
import type { AgentFailure } from '../../lib/domain/agent-failure.ts';
import { until } from '../support/until.ts';
import {
  ALL,
  aDrivenWorld,
  type DrivenWorld,
  imageOf,
  next,
  serving,
} from '../support/world/driven-world.ts';
import { interrupt, redeploy, remove, show, showRevision } from '../support/world/requests.ts';
import { isGone, reaches } from '../support/world/steps.ts';

/** More often than servers end within one run of the driver. */
const LONG = 30;

const isLeavingOne = (world: DrivenWorld, id: string) =>
  until(
    () => [...(world.compute.deployments.get(id)?.sets.values() ?? [])].some(({ isLeaving }) => isLeaving),
    { what: 'a set to be on its way out' },
  );

/** Redeploys a revision whose set still ends its servers: these take longer than a run of the driver. */
async function expectDeployedAgain(world: DrivenWorld, id: string, revisionId: string, image: string) {
  const sets = [...(world.compute.deployments.get(id)?.sets.values() ?? [])];
  expect(sets.filter(({ isLeaving, of }) => isLeaving && of.image === image)).toHaveLength(1);
  world.compute.scripts.delete(image);
  const wakes = world.woken.length;
  const { latest_revision_id: again } = await redeploy(world, id, revisionId);
  // Time is moved on only from then on: a task that nobody takes up in time fails.
  await until(() => world.woken.length > wakes, { what: 'the driver to be woken' });
  await until(
    async () => {
      await world.sweepFor(61);
      return (await showRevision(world, id, again)).status === 'DEPLOYED';
    },
    { what: 'the revision to be deployed again' },
  );
  expect(world.compute.serving({ deploymentId: id })).toBe(image);
  expect(world.compute.gaps).toEqual([]);
}

describe('a revision that runs again what is still on its way out', () => {
  it('is deployed when it has failed before', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    const failure: AgentFailure = { kind: 'exited', exitCode: 1, times: 2, output: [] };
    world.compute.scripts.set(imageOf('two'), { failure });
    world.compute.endsAfter = LONG;
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOY_FAILED');
    await isLeavingOne(world, id);
    await expectDeployedAgain(world, id, second, imageOf('two'));
  });

  it('is deployed when it was interrupted before', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.scripts.set(imageOf('two'), { ready: 1_000_000 });
    world.compute.endsAfter = LONG;
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOYING');
    await interrupt(world, id, second);
    await world.sweepFor(60);
    await reaches(world, id, second, 'INTERRUPTED');
    await isLeavingOne(world, id);
    await expectDeployedAgain(world, id, second, imageOf('two'));
  });

  it('is deployed when it served before, and its grace was over', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    const first = (await findDeployment(world.deps.table, world.caller.tenantId, id))?.active?.revision_id;
    await reaches(world, id, await next(world, id, 'two'), 'DEPLOYED');
    world.compute.endsAfter = LONG;
    await world.sweepFor(240);
    await expectDeployedAgain(world, id, first ?? '', imageOf('one'));
  });
});

describe('a driver', () => {
  it('that brings back what was deleted by hand waits until it answers, for nobody tells it', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    await world.sweepFor(120);
    world.paused.add(id);
    world.compute.scripts.set(imageOf('one'), { ready: 5 });
    world.compute.loseServers({ deploymentId: id });
    await world.compute.stopTraffic({ tenantId: world.caller.tenantId, deploymentId: id });
    await world.drive(id);
    expect(world.compute.answers({ tenantId: world.caller.tenantId, deploymentId: id })).toBe(true);
  });

  it('says within a quarter of an hour where an agent answers now, without a deploy', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.address = ({ name }) => `https://${name}-tenant.agents.example.com`;
    await world.sweepFor(960);
    expect(await show(world, id)).toMatchObject({
      source_config: { custom_url: 'https://app-tenant.agents.example.com' },
    });
  });

  it('looks again after minutes at servers that do not answer', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    await world.sweepFor(120);
    world.paused.add(id);
    world.compute.scripts.set(imageOf('one'), { ready: 1_000_000 });
    world.compute.loseServers({ deploymentId: id });
    await world.drive(id);
    const { tenantId } = world.caller;
    const dueAt = (await findDeployment(world.deps.table, tenantId, id))?.due_at ?? 0;
    // The clock of the world goes on by itself, too: half of the minutes is far from both other pauses.
    const inSeconds = (dueAt - world.deps.clock.now()) / 1000;
    expect([inSeconds > 150, inSeconds <= 300]).toEqual([true, true]);
  });

  it('of a deployment that is deleted by force fails while its servers end, so that it is called again', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.isRemoving = true;
    world.paused.add(ALL);
    await remove(world, id);
    const isBegun = async () => (await show(world, id)).status === 'AWAITING_DELETE';
    await until(isBegun, { what: 'the deletion to begin' });
    await remove(world, id, { force: 'true' });
    await isGone(world, id);
    world.compute.endsAfter = LONG;
    await expect(world.drive(id)).rejects.toThrow('still end');
    await world.drive(id);
    expect(world.compute.isEmpty({ deploymentId: id })).toBe(true);
  });

  it.each([
    ['look', 'brings nothing back'],
    ['create secret', 'takes away what it makes'],
  ])('that is held up at its first "%s" until its deployment is deleted %s', async (call) => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.loseServers({ deploymentId: id });
    world.compute.deployments.get(id)?.sets.clear();
    world.paused.add(id);
    const [held, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    world.compute.called = async (name) => {
      if (name !== call) return;
      world.compute.called = () => undefined;
      held.resolve();
      await goesOn.promise;
    };
    const driving = world.drive(id);
    await held.promise;
    const before = world.compute.deployments.get(id)?.sets.values().next().value;
    world.paused.delete(id);
    world.compute.isRemoving = true;
    // Made after the other run has looked, by which it is gone.
    world.compute.deployments.get(id)?.sets.clear();
    await remove(world, id);
    await isGone(world, id);
    if (before !== undefined) world.compute.deployments.get(id)?.sets.set(before.of.key, before);
    goesOn.resolve();
    await driving;
    expect(world.compute.isEmpty({ deploymentId: id })).toBe(true);
  });

  it('that was overtaken while it waits ends', async () => {
    const world = await aDrivenWorld();
    world.compute.scripts.set(imageOf('two'), { ready: 1_000_000 });
    const id = await serving(world, 'app');
    world.paused.add(id);
    await next(world, id, 'two');
    const { tenantId } = world.caller;
    const isOffered = async () =>
      (await findDeployment(world.deps.table, tenantId, id))?.task_id !== undefined;
    await until(isOffered, { what: 'its task' });
    const { clock } = world.driveDeps();
    let waits = 0;
    // The other takes the task up, and dies.
    const overtaken = async () => {
      world.compute.called = () => {
        throw new Error('dead');
      };
      await expect(world.drive(id)).rejects.toThrow('dead');
      world.compute.called = () => undefined;
    };
    const wait = async (milliseconds: number) => {
      waits += 1;
      if (waits === 1) await overtaken();
      await clock.wait(milliseconds);
    };
    await world.drive(id, { clock: { ...clock, wait } });
    expect(waits).toBe(1);
  });

  it('that cannot tidy up after an interrupt lets later revisions come to their end', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.scripts.set(imageOf('two'), { ready: 1_000_000 });
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOYING');
    // As on AWS, nobody who wakes it hears of its errors.
    const wake = ({ deploymentId }: { deploymentId: string }) =>
      world.drive(deploymentId).catch(() => undefined);
    world.deps.computeDriver = { wake };
    const denied = vi.spyOn(world.compute, 'remove').mockRejectedValue(new Error('AccessDenied'));
    await interrupt(world, id, second);
    await world.sweepFor(120);
    await reaches(world, id, second, 'INTERRUPTED');
    // It is taken up, and fails once its time is over, for what was left has to go first.
    const third = await next(world, id, 'three');
    await world.sweepFor(900);
    await reaches(world, id, third, 'DEPLOY_FAILED');
    expect((await showRevision(world, id, third)).status_message).toBe('AWS does not take it: AccessDenied');
    expect(denied).toHaveBeenCalled();
    denied.mockRestore();
    const { latest_revision_id: fourth } = await redeploy(world, id, third);
    await world.sweepFor(300);
    await reaches(world, id, fourth, 'DEPLOYED');
    await world.sweepFor(300);
    expect(world.compute.deployments.get(id)?.sets.size).toBe(1);
    expect(world.compute.gaps).toEqual([]);
  });
});
