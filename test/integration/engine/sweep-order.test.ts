import { expect, it } from 'vitest';
import { sweep } from '../../../lib/app/engine/sweep.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

const DEPLOYMENTS = 40;

it('looks first at what is overdue longest', async () => {
  const plane = await aWorld();
  await register(plane, 'machine');
  const ids: string[] = [];
  for (let n = 0; n < DEPLOYMENTS; n++) {
    ids.push((await post(plane, github(`d${n}`))).id);
    plane.advance(1);
  }
  plane.advance(120);
  const looked: string[] = [];
  const started = (name: string): void => {
    const id = ids.find((each) => name.includes(each));
    if (id !== undefined) looked.push(id);
  };
  const workflow = {
    ...plane.deps.workflow,
    start: (name: string, input: { deploymentId: string }) => {
      started(input.deploymentId);
      return plane.deps.workflow.start(name, { ...input, tenantId: '', revisionId: '', attempt: 1 });
    },
  };

  await sweep({ ...plane.deps, workflow }, { all: false }, () => undefined).catch(() => undefined);

  expect(looked.slice(0, 5).every((id) => ids.indexOf(id) < 15)).toBe(true);
});
