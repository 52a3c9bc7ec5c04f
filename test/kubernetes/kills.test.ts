import type { KubernetesObject, V1Deployment, V1Service } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kind, pathOf } from '../../lib/listener/drivers/kubernetes/kinds.ts';
import { noted } from '../../lib/listener/drivers/kubernetes/noted.ts';
import { annotations, labels } from '../../lib/listener/drivers/kubernetes/render/names.ts';
import type { ShownDeployment } from '../support/programs/program.ts';
import { EndpointWatch } from './endpoint-watch.ts';
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

const services: Kind = { apiVersion: 'v1', kind: 'Service', plural: 'services' };
const secrets: Kind = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };
const deployments: Kind = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };

type Point = {
  at: string;
  kind: typeof services & object;
  /** Whether this is the moment, for a revision that is deployed over the set that serves. */
  isIt: (object: KubernetesObject, before: { set: string | undefined; revision: string }) => boolean;
};

const setOf = ({ metadata }: KubernetesObject) => metadata?.labels?.[labels.set];

const points: Point[] = [
  {
    at: 'its Secret is made',
    kind: secrets,
    isIt: (object, { set }) => ![undefined, set].includes(setOf(object)),
  },
  {
    at: 'its Deployment is made',
    kind: deployments,
    isIt: (object, { set }) => ![undefined, set].includes(setOf(object)),
  },
  {
    at: 'its set is noted as one that serves',
    kind: deployments,
    isIt: (object, { set }) => setOf(object) !== set && noted(object, annotations.served) === 'true',
  },
  {
    at: 'traffic has moved',
    kind: services,
    isIt: (object: V1Service, { set }) => {
      const to = object.spec?.selector?.[labels.set];
      return setOf(object) === undefined && to !== undefined && to !== set;
    },
  },
  {
    at: 'the set before is retired',
    kind: deployments,
    isIt: (object, { set }) => setOf(object) === set && noted(object, annotations.retiredAt) !== undefined,
  },
];

/** The set that gets the requests. */
async function servingSet(): Promise<string | undefined> {
  const [service] = (await world.objectsOf(made.id, [services])).filter((each) => setOf(each) === undefined);
  return (service as V1Service).spec?.selector?.[labels.set];
}

describe('a listener that is killed', () => {
  it.each(points)('when $at is followed by one that finishes its work', async ({ kind, isIt }) => {
    const before = { set: await servingSet(), revision: made.latest_revision_id };
    const killed = Promise.withResolvers<void>();
    const path = pathOf(kind, 'agents');
    const stop = await world.watch(path, (_, object) => {
      if (isIt(object, before)) killed.resolve(listener.kill());
    });
    const changed = await world.change(made.id, `example.test/agent:${Date.now()}`);
    await killed.promise;
    stop();
    listener = world.listen();
    await world.deployed(changed);
    const after = await servingSet();
    expect(after).not.toBe(before.set);
    const live = (await world.objectsOf(made.id, [deployments])).filter(
      (each) => noted(each, annotations.retiredAt) === undefined,
    );
    expect(live.map((each) => [setOf(each), noted(each, annotations.revision)])).toEqual([
      [after, changed.latest_revision_id],
    ]);
    expect((live[0] as V1Deployment).status?.readyReplicas).toBe(2);
  });

  it('has left no Service without endpoints', () => {
    expect(endpoints.gaps).toEqual([]);
    expect(endpoints.moves).toBeGreaterThanOrEqual(points.length);
  });
});
