import { describe, expect, it } from 'vitest';
import { revise } from '../../lib/core/items/revision-moves.ts';
import { transact } from '../../lib/store/dynamodb/transact.ts';
import { until } from '../support/until.ts';
import { github, post } from '../support/world/requests.ts';
import { aRunningWorld } from '../support/world/running-world.ts';
import { buildStarted, deployBuilt, later, reaches } from '../support/world/steps.ts';

describe('an execution that an operator aborts', () => {
  it('ends its revision by its status', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    world.deps.workflow.status = async () => 'aborted';
    await later(world);
    const ended = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(ended.status_message).toMatch(/aborted by hand/);
    expect(world.deps.builds.stopped).toContain(`build-${revisionId}`);
  });

  it('when its build was recorded ends as a deploy that failed', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.loseStream();
    await world.deps.builds.succeed(revisionId);
    await world.loseExecutions();
    world.deps.workflow.status = async () => 'aborted';
    await later(world);
    const ended = await reaches(world, id, revisionId, 'DEPLOY_FAILED');
    expect(ended.status_message).toMatch(/aborted by hand/);
  });
});

describe('a crash that takes a build with it', () => {
  it('counts once, also while the builder cannot be asked', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    const { state } = world.deps.builds;
    for (const name of [revisionId, `${revisionId}-2`]) {
      await buildStarted(world, name);
      await world.loseExecutions();
      world.deps.builds.state = () => Promise.reject(new Error('the builder does not answer'));
      await later(world).catch(() => undefined);
      world.deps.builds.state = state;
      await later(world);
    }
    await buildStarted(world, `${revisionId}-3`);
    await world.deps.builds.succeed(`${revisionId}-3`);
    await deployBuilt(world, id, revisionId);
    expect([...world.deps.builds.jobs.keys()]).toHaveLength(3);
  });
});

describe('a build that is lost while it is being started', () => {
  it('is built again', async () => {
    const world = await aRunningWorld();
    const { builds } = world.deps;
    const start = builds.start.bind(builds);
    builds.start = async (job) => {
      const started = await start(job);
      if (builds.jobs.size === 1) await builds.become(started.buildId, { state: 'lost' });
      return started;
    };
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await later(world);
    await buildStarted(world, `${revisionId}-2`);
    await builds.succeed(`${revisionId}-2`);
    await deployBuilt(world, id, revisionId);
    expect([...builds.jobs.keys()]).toEqual([`build-${revisionId}`, `build-${revisionId}-2`]);
  });
});

describe('a step that goes on after it was given up', () => {
  it('leaves the build to the next attempt, which takes the same', async () => {
    const world = await aRunningWorld();
    const { builds, table } = world.deps;
    const start = builds.start.bind(builds);
    builds.start = async (job) => {
      const isFirst = builds.jobs.size === 0;
      const started = await start(job);
      if (isFirst) await transact(table, [revise(job, { set: { attempt: 2 } })]);
      return started;
    };
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await until(async () => (await world.deps.workflow.status(`${revisionId}-1`)) === 'succeeded', {
      what: 'the end of the first attempt',
    });
    await world.sweepFor(180);
    await builds.succeed(revisionId);
    await deployBuilt(world, id, revisionId);
    expect(builds.stopped).toEqual([]);
  });
});

describe('a build whose time is over while it is being started', () => {
  it('is stopped', async () => {
    const world = await aRunningWorld();
    const { builds, table } = world.deps;
    const start = builds.start.bind(builds);
    builds.start = async (job) => {
      const started = await start(job);
      await world.loseStream();
      const outcome = { stage: 'build', result: 'failed', message: 'It did not end in time.' };
      await transact(table, [revise(job, { set: { outcome } })]);
      return started;
    };
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await until(() => builds.stopped.includes(`build-${revisionId}`), {
      what: 'the end of its build',
    });
    await later(world);
    await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(builds.stopped).toHaveLength(1);
  });
});
