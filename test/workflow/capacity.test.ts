import { describe, expect, it } from 'vitest';
import { BuildsAtCapacity } from '../../lib/adapters/builds.ts';
import { until } from '../support/until.ts';
import { github, interrupt, post, showRevision } from '../support/world/requests.ts';
import { aRunningWorld } from '../support/world/running-world.ts';
import { reaches } from '../support/world/steps.ts';

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

  it('fail the build when its time is over, with that reason', async () => {
    const { world, id, revisionId } = await atCapacity();
    world.advance(1_801);
    await world.sweep();
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/No build could start within 30 minutes.*more than 1 build/);
  });
});
