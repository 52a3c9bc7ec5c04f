import { describe, expect, it } from 'vitest';
import type { AgentFailure } from '../../lib/domain/agent-failure.ts';
import { findDeployment } from '../../lib/store/engine/deployments.ts';
import { until } from '../support/until.ts';
import { aDrivenWorld, imageOf, next, serving } from '../support/world/driven-world.ts';
import { interrupt, redeploy } from '../support/world/requests.ts';
import { reaches } from '../support/world/steps.ts';

/** More often than servers end within one run of the driver. */
const LONG = 20;

describe('a revision that runs again what is still on its way out', () => {
  it('is deployed when it has failed before', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    const failure: AgentFailure = { kind: 'exited', exitCode: 1, times: 2, output: [] };
    world.compute.scripts.set(imageOf('two'), { failure });
    world.compute.endsAfter = LONG;
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOY_FAILED');
    world.compute.scripts.delete(imageOf('two'));
    const { latest_revision_id: third } = await redeploy(world, id, second);
    await world.sweepFor(300);
    await reaches(world, id, third, 'DEPLOYED');
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('two'));
    expect(world.compute.gaps).toEqual([]);
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
    world.compute.scripts.delete(imageOf('two'));
    const { latest_revision_id: third } = await redeploy(world, id, second);
    await world.sweepFor(300);
    await reaches(world, id, third, 'DEPLOYED');
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('two'));
    expect(world.compute.gaps).toEqual([]);
  });

  it('is deployed when it served before, and its grace was over', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    const first = (await findDeployment(world.deps.table, world.caller.tenantId, id))?.active?.revision_id;
    await reaches(world, id, await next(world, id, 'two'), 'DEPLOYED');
    world.compute.endsAfter = LONG;
    await world.sweepFor(240);
    const { latest_revision_id: third } = await redeploy(world, id, first ?? '');
    await world.sweepFor(300);
    await reaches(world, id, third, 'DEPLOYED');
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('one'));
    expect(world.compute.gaps).toEqual([]);
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

  it('that cannot tidy up after an interrupt holds up no later revision', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.scripts.set(imageOf('two'), { ready: 1_000_000 });
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOYING');
    // As on AWS, nobody who wakes it hears of its errors.
    const wake = ({ deploymentId }: { deploymentId: string }) =>
      world.drive(deploymentId).catch(() => undefined);
    world.deps.computeDriver = { wake };
    let isBroken = true;
    world.compute.called = (call) => {
      if (isBroken && (call === 'end servers' || call === 'delete set')) throw new Error('AccessDenied');
    };
    await interrupt(world, id, second);
    await world.sweepFor(120);
    await reaches(world, id, second, 'INTERRUPTED');
    const third = await next(world, id, 'three');
    await world.sweepFor(60);
    await reaches(world, id, third, 'DEPLOYED');
    isBroken = false;
    await world.sweepFor(1_200);
    expect(world.compute.deployments.get(id)?.sets.size).toBe(1);
  });
});
