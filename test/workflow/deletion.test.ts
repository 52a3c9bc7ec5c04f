import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { claim, complete } from '../support/world/listening.ts';
import { change, github, post, remove, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import { buildStarted, claimed, deploy, isGone, reaches } from '../support/world/steps.ts';

/** A deployment that serves, with a second revision being built and a third one behind it. */
async function busy(world: RunningWorld) {
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await deploy(world, id, first);
  const toRef = (repo_ref: string) => change(world, id, { source_revision_config: { repo_ref } });
  const { latest_revision_id: second } = await toRef('second');
  await buildStarted(world, second);
  await world.deps.builds.become(`build-${second}`, { state: 'running' });
  const { latest_revision_id: third } = await toRef('third');
  return { id, second, third };
}

it('stops the build, asks the listener, and removes everything, by what the stream tells alone', async () => {
  const world = await aRunningWorld();
  const { id, second, third } = await busy(world);
  await remove(world, id);
  expect(await showRevision(world, id, third)).toMatchObject({ status: 'INTERRUPTED' });
  const ended = await reaches(world, id, second, 'INTERRUPTED');
  expect(ended.status_message).toBe('Interrupted: deployment deleted.');
  expect(world.deps.builds.stopped).toContain(`build-${second}`);
  const task = await claimed(world);
  expect(task).toMatchObject({ kind: 'DELETE', deployment_id: id });
  await complete(world, task, 'succeeded');
  await isGone(world, id);
  const again = await post(world, github('app'));
  await deploy(world, again.id, again.latest_revision_id);
});

it('goes at once, without a listener, when none was ever asked to run it', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await buildStarted(world, first);
  await remove(world, id);
  await isGone(world, id);
  expect(world.deps.builds.stopped).toContain(`build-${first}`);
  expect((await claim(world)).tasks).toEqual([]);
});

it('comes to its end by sweeps alone when the stream and every execution are lost', async () => {
  const world = await aRunningWorld();
  const { id } = await busy(world);
  await world.loseStream();
  await remove(world, id);
  await world.loseExecutions();
  const task = await until(
    async () => {
      world.advance(61);
      await world.sweep();
      return (await claim(world)).tasks[0];
    },
    { what: 'the task' },
  );
  expect(task).toMatchObject({ kind: 'DELETE', deployment_id: id });
  // The one who has it says no more.
  const taken = await until(
    async () => {
      world.advance(61);
      await world.sweep();
      return (await claim(world, 10, 'two')).tasks[0];
    },
    { what: 'the task to be offered again' },
  );
  await complete(world, taken, 'succeeded');
  await world.sweep();
  await isGone(world, id);
});

it('is forced through while its listener is away', async () => {
  const world = await aRunningWorld();
  const { id } = await busy(world);
  await remove(world, id);
  await claimed(world);
  await remove(world, id, { force: 'true' });
  await isGone(world, id);
  expect(await post(world, github('app'))).toMatchObject({ name: 'app' });
});
