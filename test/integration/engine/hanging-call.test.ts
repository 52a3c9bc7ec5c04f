import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { timeLimited } from '../../../lib/embedded/runtime/handlers.ts';
import { until } from '../../support/until.ts';
import { github, interrupt, post } from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import { buildStarted, reaches } from '../../support/world/steps.ts';
import { allItems } from '../../support/world/world.ts';

const never = (): Promise<never> => new Promise(() => undefined);

it('a call that never returns halts no other deployment, and the sweep goes on', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('one'));
  await buildStarted(world, first);
  await world.deps.builds.become(`build-${first}`, { state: 'running' });
  await reaches(world, id, first, 'BUILDING');
  world.deps.clock.wait = () => setTimeout(200);
  world.deps.workflow.fail = never;
  await interrupt(world, id, first);

  const { latest_revision_id: second } = await post(world, github('two'));
  await buildStarted(world, second);
  world.advance(61);
  // The look that hangs is given up once the other has said when it looks next.
  const dueOf = async () =>
    (await allItems(world.deps.table)).find(({ entity, id: own }) => entity === 'revision' && own === second)
      ?.due_at;
  const due = await dueOf();
  expect(due).toBeDefined();
  world.deps.clock.wait = () =>
    until(async () => (await dueOf()) !== due, { what: 'the other look' }).then(() => undefined);
  await expect(world.sweep()).rejects.toThrow(/1 of 2/);
});

it('a function ends when its time is over', async () => {
  const limited = timeLimited({ name: 'sweep', timeoutSeconds: 0.05 }, never);
  await expect(limited({ all: true })).rejects.toThrow('sweep took longer than 0.05 s');
});
