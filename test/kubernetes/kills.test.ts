import type { V1Deployment } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noted } from '../../lib/compute/kubernetes/noted.ts';
import { annotations } from '../../lib/compute/kubernetes/render/names.ts';
import type { ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { EndpointWatch } from './endpoint-watch.ts';
import { atPoint, deployments, points, servingSet, setOf } from './points.ts';
import { type RunningListener, World } from './world.ts';

let world: World;
let listener: RunningListener;
let made: ShownDeployment;
const endpoints = new EndpointWatch();

beforeAll(async () => {
  world = await World.open();
  await endpoints.start(world);
  listener = world.listen();
  made = await world.deploy('killed', 'example.test/agent:1', { spec: { min_scale: 2, max_scale: 2 } });
  await world.deployed(made);
});

afterAll(async () => {
  endpoints.stop();
  await listener.stop();
  await world.close();
});

/** Sets that neither drain nor are gone. */
async function liveSets(): Promise<V1Deployment[]> {
  const all: V1Deployment[] = await world.objectsOf(made.id, [deployments]);
  return all.filter((each) => noted(each, annotations.retiredAt) === undefined);
}

describe('a listener that is killed', () => {
  it.each(points)('when $at is followed by one that finishes its work', async (point) => {
    const before = await servingSet(world, made.id);
    const killed = await atPoint(world, point, before, () => listener.kill());
    const changed = await world.change(made.id, `example.test/agent:${Date.now()}`);
    await killed.done;
    listener = world.listen();
    await world.deployed(changed);
    const after = await servingSet(world, made.id);
    expect(after).not.toBe(before);
    // The set before is retired once the end of the revision was accepted, and so after it is to be seen.
    const left = await until(
      async () => {
        const [one, ...others] = await liveSets();
        return others.length === 0 && one?.status?.readyReplicas === 2 && one;
      },
      { what: 'one set to be left, with two servers' },
    );
    expect([setOf(left), noted(left, annotations.revision)]).toEqual([after, changed.latest_revision_id]);
  });

  it('has left no Service without endpoints', () => {
    expect(endpoints.gaps).toEqual([]);
    expect(endpoints.moves).toBeGreaterThanOrEqual(points.length);
  });
});
