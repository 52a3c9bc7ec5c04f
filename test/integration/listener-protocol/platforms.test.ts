import { describe, expect, it } from 'vitest';
import { getRevisionItem } from '../../../lib/core/items/revisions.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { until } from '../../support/until.ts';
import { claim } from '../../support/world/listening.ts';
import { change, github, post, redeploy } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import { buildStarted, deploy, reaches } from '../../support/world/steps.ts';

/** The listener asks for work, and says what it runs on. */
const say = (world: RunningWorld, platform: string) =>
  claimTasks(
    world.deps,
    {
      params: { listener_id: world.listenerId },
      body: { instance_id: 'one', platform, max: 10, holding: [], wait_seconds: 0 },
    },
    world.caller,
  );

const stored = (world: RunningWorld, deploymentId: string, revisionId: string) =>
  getRevisionItem(world.deps.table, { tenantId: world.caller.tenantId, deploymentId, revisionId });

const built = async (world: RunningWorld, id: string, revisionId: string) => {
  await reaches(world, id, revisionId, 'AWAITING_BUILD');
  await buildStarted(world, revisionId);
  await world.deps.builds.succeed(revisionId);
  await reaches(world, id, revisionId, 'AWAITING_DEPLOY');
  // The task is offered a moment after that.
  await until(async () => (await stored(world, id, revisionId)).task_id, { what: 'the task' });
};

describe('a build', () => {
  it('is for the platform that its listener says, and what it makes records it', async () => {
    const world = await aRunningWorld();
    await say(world, 'linux/arm64');
    const { id, latest_revision_id: revisionId } = await post(world, github('a'));
    await deploy(world, id, revisionId);
    expect(world.deps.builds.jobs.get(`build-${revisionId}`)).toMatchObject({ platforms: ['linux/arm64'] });
    expect(await stored(world, id, revisionId)).toMatchObject({ artifact: { platforms: ['linux/arm64'] } });
  });

  it('fails in words where nothing can be built for its listener', async () => {
    const world = await aRunningWorld();
    world.deps.builds.able = ['linux/amd64', 'linux/arm64'];
    await say(world, 'darwin/arm64');
    const { id, latest_revision_id: revisionId } = await post(world, github('a'));
    expect(await reaches(world, id, revisionId, 'BUILD_FAILED')).toMatchObject({
      status_message: expect.stringMatching(
        /^Listener machine runs darwin\/arm64, and this installation builds for linux\/amd64 and linux\/arm64 only/,
      ),
    });
    expect(world.deps.builds.jobs.size).toBe(0);
  });
});

const refusal = (made: string, runs: string) =>
  expect.stringMatching(`made for ${made}, but listener machine runs ${runs}\\. Deploy its source again`);

describe('what was made for another platform than its listener’s', () => {
  it('is refused before it is offered', async () => {
    const world = await aRunningWorld();
    await say(world, 'linux/arm64');
    const { id, latest_revision_id: first } = await post(world, github('a'));
    await deploy(world, id, first);
    // The machine is replaced by one of another kind.
    await say(world, 'linux/amd64');
    const { latest_revision_id: second } = await redeploy(world, id, first);
    expect(await reaches(world, id, second, 'DEPLOY_FAILED')).toMatchObject({
      status_message: refusal('linux/arm64', 'linux/amd64'),
    });
    expect((await stored(world, id, second)).task_id).toBeUndefined();
    expect((await claim(world)).tasks).toEqual([]);
    // The way out that it names.
    const { latest_revision_id: third } = await change(world, id, {
      source_revision_config: { repo_ref: 'main' },
    });
    await deploy(world, id, third);
    expect(await stored(world, id, third)).toMatchObject({ artifact: { platforms: ['linux/amd64'] } });
  });

  it('is not handed to a listener that says what it is only then', async () => {
    const world = await aRunningWorld();
    await say(world, 'linux/amd64');
    const { id, latest_revision_id: revisionId } = await post(world, github('a'));
    await built(world, id, revisionId);
    expect((await say(world, 'linux/arm64')).tasks).toEqual([]);
    expect(await reaches(world, id, revisionId, 'DEPLOY_FAILED')).toMatchObject({
      status_message: refusal('linux/amd64', 'linux/arm64'),
    });
    const messages = await world.deps.logs.query(
      { tenantId: world.caller.tenantId, deploymentId: id, revisionId, type: 'deploy' },
      { order: 'desc', limit: 1 },
    );
    expect(messages.entries[0]?.message).toContain('runs linux/arm64');
  });

  it('is handed over as long as nothing is known of the listener', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('a'));
    await deploy(world, id, revisionId);
    expect(world.deps.builds.jobs.get(`build-${revisionId}`)).toMatchObject({ platforms: [] });
  });
});
