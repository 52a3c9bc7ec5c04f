import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sweep } from '../../../lib/core/engine/sweep.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

const DEPLOYMENTS = 40;

it('looks first at what is overdue longest', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  const ids: string[] = [];
  for (let n = 0; n < DEPLOYMENTS; n++) {
    ids.push((await post(world, github(`d${n}`))).id);
    world.advance(1);
  }
  world.advance(120);
  const looked: string[] = [];
  const started = (name: string): void => {
    const id = ids.find((each) => name.includes(each));
    if (id !== undefined) looked.push(id);
  };
  const workflow = {
    ...world.deps.workflow,
    start: (name: string, input: { deploymentId: string }) => {
      started(input.deploymentId);
      return world.deps.workflow.start(name, { ...input, tenantId: '', revisionId: '', attempt: 1 });
    },
  };

  await sweep({ ...world.deps, workflow }, { all: false }, () => undefined).catch(() => undefined);

  expect(looked.slice(0, 5).every((id) => ids.indexOf(id) < 15)).toBe(true);
});

it('comes to all others though more looks hang than it makes at a time', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  let last: string | undefined;
  let hangs = false;
  let hasLooked = false;
  const workflow = {
    ...world.deps.workflow,
    status: (name: string) => {
      hasLooked ||= last !== undefined && name.startsWith(last);
      if (hangs && !hasLooked) return new Promise<never>(() => undefined);
      return Promise.resolve('running' as const);
    },
  };
  // A look that hangs takes longer than the time in which a sweep begins others.
  const clock = {
    ...world.deps.clock,
    wait: async (milliseconds: number) => {
      await setTimeout(200);
      if (hangs) world.advance(milliseconds / 1000);
    },
  };
  const sweeps = async () => {
    world.advance(61);
    await sweep({ ...world.deps, clock, workflow }, { all: false }, () => undefined).catch(() => undefined);
  };
  for (let n = 0; n < 12; n++) await post(world, github(`d${n}`));
  await sweeps();
  last = (await post(world, github('last'))).latest_revision_id;
  hangs = true;

  for (let n = 0; n < 5; n++) await sweeps();

  expect(hasLooked).toBe(true);
});
