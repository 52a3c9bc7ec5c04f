import { describe, expect, it } from 'vitest';
import { getRevisionItem } from '../../lib/core/items/revisions.ts';
import { github, interrupt, post } from '../support/world/requests.ts';
import { aRunningWorld } from '../support/world/running-world.ts';
import { buildStarted, later, reaches } from '../support/world/steps.ts';

describe('an execution that the workflow does not know (yet)', () => {
  it('is believed to be absent only when a later look hears it again; then it is started', async () => {
    const world = await aRunningWorld();
    const { latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    const started: string[] = [];
    world.deps.workflow.status = async () => 'absent';
    world.deps.workflow.start = async (name) => {
      started.push(name);
      return 'started';
    };
    await later(world);
    expect(started).toEqual([]);
    await later(world).catch(() => undefined);
    expect(new Set(started)).toEqual(new Set([`${revisionId}-1`]));
  });
});

describe('a build that the builds do not know (yet)', () => {
  it('is believed to be lost only when a later look hears it again; then it is built again', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    const { builds } = world.deps;
    const state = builds.state.bind(builds);
    builds.state = async (buildId) =>
      buildId === `build-${revisionId}` ? { state: 'absent' } : state(buildId);
    await later(world);
    // An event of it says no more than the look did.
    await builds.become(`build-${revisionId}`, { state: 'running' });
    await world.sweep();
    const ref = { tenantId: world.caller.tenantId, deploymentId: id, revisionId };
    expect(await getRevisionItem(world.deps.table, ref)).toMatchObject({ build_id: `build-${revisionId}` });
    await later(world);
    await buildStarted(world, `${revisionId}-2`);
  });
});

describe('a revision that ended before its build', () => {
  it('stays due until the build is seen stopped', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'running' });
    const stop = world.deps.builds.stop.bind(world.deps.builds);
    // What is stopped only says so, as CodeBuild, which takes its time.
    world.deps.builds.stop = async () => undefined;
    await interrupt(world, id, revisionId);
    await reaches(world, id, revisionId, 'INTERRUPTED');
    world.deps.builds.stop = stop;
    world.advance(61);
    expect((await world.sweep()).looked).toBe(1);
    expect(world.deps.builds.stopped).toEqual([`build-${revisionId}`]);
    await later(world);
    world.advance(61);
    expect((await world.sweep()).looked).toBe(0);
  });

  it('stays due while the builds do not know the build (yet), until a later look hears it again', async () => {
    const world = await aRunningWorld();
    const { builds } = world.deps;
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    const state = builds.state.bind(builds);
    builds.state = async () => ({ state: 'absent' });
    // It was heard once before the end, and once right after.
    await later(world);
    builds.stop = async () => undefined;
    await interrupt(world, id, revisionId);
    await reaches(world, id, revisionId, 'INTERRUPTED');
    const stopped: string[] = [];
    builds.stop = async (buildId) => void stopped.push(buildId);
    await world.sweep();
    builds.state = state;
    await later(world);
    expect(stopped).toEqual([`build-${revisionId}`]);
    builds.state = async () => ({ state: 'absent' });
    await later(world);
    expect(await later(world)).toMatchObject({ looked: 1 });
    await later(world);
    expect(await later(world)).toMatchObject({ looked: 0 });
  });
});
