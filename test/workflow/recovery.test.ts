import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { claim, complete, heartbeat } from '../support/world/listening.ts';
import { change, github, post, showRevision } from '../support/world/requests.ts';
import { aRunningWorld } from '../support/world/running-world.ts';
import { buildStarted, claimed, deploy, reaches } from '../support/world/steps.ts';

describe('sweep', () => {
  it('starts what the stream never told of', async () => {
    const world = await aRunningWorld();
    await world.loseStream();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    world.advance(61);
    expect(await world.sweep()).toEqual({ looked: 1, left: 0 });
    await buildStarted(world, revisionId);
    await world.deps.builds.succeed(revisionId);
    world.advance(61);
    await world.sweep();
    await reaches(world, id, revisionId, 'AWAITING_DEPLOY');
    const task = await claimed(world);
    await complete(world, task, 'succeeded');
    world.advance(61);
    await world.sweep();
    await reaches(world, id, revisionId, 'DEPLOYED');
    world.advance(61);
    expect((await world.sweep()).looked).toBe(0);
  });

  it('starts a QUEUED holder again under the next attempt', async () => {
    const world = await aRunningWorld();
    await world.loseStream();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    const { workflow } = world.deps;
    const { start, status } = workflow;
    // The first execution was started and died before its first step.
    workflow.start = async () => 'already_exists';
    workflow.status = async () => 'running';
    world.advance(61);
    await world.sweep();
    expect(await showRevision(world, id, revisionId)).toMatchObject({ status: 'QUEUED' });
    workflow.status = async (name) => (name.endsWith('-1') ? 'failed' : status.call(workflow, name));
    workflow.start = start;
    world.advance(61);
    await world.sweep();
    await buildStarted(world, revisionId);
    expect(await status.call(workflow, `${revisionId}-2`)).toBe('running');
  });
});

describe('a listener that goes silent while deploying', () => {
  it('makes the revision UNKNOWN; its return decides', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.succeed(revisionId);
    const task = await claimed(world);
    world.advance(61);
    await world.sweep();
    const { status_message: reason } = await reaches(world, id, revisionId, 'UNKNOWN');
    expect(reason).toMatch(
      /^Listener machine went silent while deploying; it was last heard at \d{4}-.* what the listener says next decides; the revision fails 900 seconds after/,
    );
    expect(await heartbeat(world, task)).toEqual({ stop: false });
    expect(await showRevision(world, id, revisionId)).toMatchObject({
      status: 'DEPLOYING',
      status_message: null,
    });
    await complete(world, task, 'succeeded');
    const { status_history: history } = await reaches(world, id, revisionId, 'DEPLOYED');
    expect(history.map(({ status }) => status).slice(-4)).toEqual([
      'DEPLOYING',
      'UNKNOWN',
      'DEPLOYING',
      'DEPLOYED',
    ]);
  });

  it('leaves no reason of that behind when it only comes back with the result', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.succeed(revisionId);
    const task = await claimed(world);
    world.advance(61);
    await world.sweep();
    await reaches(world, id, revisionId, 'UNKNOWN');
    await complete(world, task, 'succeeded');
    expect((await reaches(world, id, revisionId, 'DEPLOYED')).status_message).not.toMatch(/silent/);
  });

  it('loses the task to another instance, and is told so', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.succeed(revisionId);
    const lost = await claimed(world, 'one');
    world.advance(61);
    await world.sweep();
    const taken = await claimed(world, 'two');
    expect(taken).toMatchObject({ task_id: lost.task_id, revision_id: revisionId });
    expect(taken.lease_id).not.toBe(lost.lease_id);
    await expect(heartbeat(world, lost)).rejects.toMatchObject({ status: 409 });
    await expect(complete(world, lost, 'succeeded')).rejects.toMatchObject({ status: 409 });
    await complete(world, taken, 'succeeded');
    await reaches(world, id, revisionId, 'DEPLOYED');
    expect(await complete(world, taken, 'succeeded')).toEqual({ accepted: true });
  });

  it('fails the revision 15 minutes after its last sign of life, and the queue moves on', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await buildStarted(world, first);
    await world.deps.builds.succeed(first);
    await claimed(world);
    const { latest_revision_id: second } = await change(world, id, {
      source_revision_config: { repo_ref: 'next' },
    });
    world.advance(61);
    await world.sweep();
    await reaches(world, id, first, 'UNKNOWN');
    await world.sweepFor(15 * 60);
    const failed = await reaches(world, id, first, 'DEPLOY_FAILED');
    expect(failed.status_message).toMatch(/Listener machine went silent while deploying/);
    await deploy(world, id, second);
  });
});

describe('claims', () => {
  it('by two instances at once give a task to one of them', async () => {
    const world = await aRunningWorld();
    const { latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.succeed(revisionId);
    const results: string[] = [];
    await until(
      async () => {
        const answers = await Promise.all(['one', 'two', 'three'].map((name) => claim(world, 10, name)));
        results.push(...answers.flatMap(({ tasks }) => tasks.map((task) => task.task_id)));
        return results.length > 0;
      },
      { what: 'a task' },
    );
    expect(results).toHaveLength(1);
  });
});
