import { describe, expect, it } from 'vitest';
import { BuildsAtCapacity } from '../../lib/adapters/builds.ts';
import { until } from '../support/until.ts';
import { github, interrupt, post, showRevision } from '../support/world/requests.ts';
import { aRunningWorld } from '../support/world/running-world.ts';
import { buildStarted, buildStartedInTime, deployBuilt, reaches } from '../support/world/steps.ts';

/** A revision that waits because no build can start, and says so. */
async function atCapacity() {
  const world = await aRunningWorld();
  world.deps.builds.start = () => Promise.reject(new BuildsAtCapacity('Cannot have more than 1 build'));
  const { id, latest_revision_id: revisionId } = await post(world, github('app'));
  await until(
    async () => (await showRevision(world, id, revisionId)).status_message?.includes('more than 1 build'),
    {
      what: 'the reason of the wait',
    },
  );
  return { world, id, revisionId };
}

describe('builds at capacity', () => {
  it('are said to a person, and an interrupt ends the wait at once', async () => {
    const { world, id, revisionId } = await atCapacity();
    await interrupt(world, id, revisionId);
    await reaches(world, id, revisionId, 'INTERRUPTED');
  });

  it('fail the build when it has waited for as long as it may, with that reason', async () => {
    const { world, id, revisionId } = await atCapacity();
    world.advance(7_201);
    await world.sweep();
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/No build could start within 120 minutes .*more than 1 build/);
  });
});

/** A revision whose build waits in the builder's own queue; each minute of it is swept. */
async function queued() {
  const world = await aRunningWorld({ settings: { buildSeconds: 300, buildQueueSeconds: 1_200 } });
  const { id, latest_revision_id: revisionId } = await post(world, github('app'));
  await buildStarted(world, revisionId);
  const said = async () => (await showRevision(world, id, revisionId)).status_message;
  return { world, id, revisionId, said };
}

describe('a build in the queue of the builder', () => {
  it('is said to wait, and its time begins when it is built', async () => {
    const { world, id, revisionId, said } = await queued();
    await world.sweepFor(61);
    expect(await said()).toMatch(/^Waits for a builder/);
    await world.sweepFor(366);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'running' });
    const running = await reaches(world, id, revisionId, 'BUILDING');
    expect(running.status_message).toBeNull();
    await world.sweepFor(244);
    await world.deps.builds.succeed(revisionId);
    await deployBuilt(world, id, revisionId);
  });

  it('has no more than its time once it is built', async () => {
    const { world, id, revisionId } = await queued();
    await world.deps.builds.become(`build-${revisionId}`, { state: 'running' });
    await world.sweepFor(366);
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/did not end within 5 minutes/);
  });

  it('is started again under a new name when that lets it wait no longer, as often as it takes', async () => {
    const { world, id, revisionId, said } = await queued();
    const names = [revisionId, ...[2, 3, 4, 5].map((n) => `${revisionId}-${n}`)];
    for (const name of names) {
      await buildStartedInTime(world, name);
      await world.deps.builds.become(`build-${name}`, { state: 'unstarted' });
    }
    await buildStartedInTime(world, `${revisionId}-6`);
    await world.sweepFor(61);
    expect(await said()).toMatch(/^Waits for a builder/);
    await world.deps.builds.succeed(`${revisionId}-6`);
    await deployBuilt(world, id, revisionId);
  });

  it('waits no longer in all than it may', async () => {
    const { world, id, revisionId } = await queued();
    await world.sweepFor(671);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'unstarted' });
    await buildStartedInTime(world, `${revisionId}-2`);
    await world.sweepFor(610);
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/^No build could start within 20 minutes \(Waits for a builder/);
    expect(world.deps.builds.stopped).toEqual([`build-${revisionId}-2`]);
  });

  it('is stopped by an interrupt', async () => {
    const { world, id, revisionId } = await queued();
    await world.sweepFor(61);
    await interrupt(world, id, revisionId);
    await reaches(world, id, revisionId, 'INTERRUPTED');
    expect(world.deps.builds.stopped).toEqual([`build-${revisionId}`]);
  });
});
