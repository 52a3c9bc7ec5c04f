import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sweep } from '../../../lib/app/engine/sweep.ts';
import { until } from '../../support/until.ts';
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
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push((await post(world, github(`d${n}`))).id);
  world.advance(120);
  const last = ids.at(-1);
  let hasLooked = false;
  const workflow = {
    ...world.deps.workflow,
    start: (_: string, { deploymentId }: { deploymentId: string }) => {
      if (deploymentId !== last) return new Promise<never>(() => undefined);
      hasLooked = true;
      return Promise.resolve('started' as const);
    },
  };
  // A look that hangs takes longer than a sweep may begin others.
  const clock = {
    ...world.deps.clock,
    wait: async (milliseconds: number) => {
      await setTimeout(200);
      world.advance(milliseconds / 1000);
    },
  };
  const sweeps = async () => {
    await sweep({ ...world.deps, clock, workflow }, { all: false }, () => undefined).catch(() => undefined);
    world.advance(60);
    return hasLooked;
  };

  await until(sweeps, { timeoutMs: 60_000, what: 'a look at the deployment that does not hang' });
});
