import { expect, it } from 'vitest';
import { sweep } from '../../../lib/app/engine/sweep.ts';
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
