import type { KubernetesObject, V1Service } from '@kubernetes/client-node';
import { type Kind, pathOf } from '../../lib/compute/kubernetes/kinds.ts';
import { noted } from '../../lib/compute/kubernetes/noted.ts';
import { annotations, labels } from '../../lib/compute/kubernetes/render/names.ts';
import type { World } from './world.ts';

export const services: Kind = { apiVersion: 'v1', kind: 'Service', plural: 'services' };
const secrets: Kind = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };
export const deployments: Kind = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };

/** A moment in the work on a revision that is deployed over the set that serves. */
export type Point = {
  at: string;
  kind: Kind;
  isIt: (object: KubernetesObject, before: string | undefined) => boolean;
};

/** The set that an object belongs to. */
export const setOf = ({ metadata }: KubernetesObject): string | undefined => metadata?.labels?.[labels.set];

export const points: Point[] = [
  {
    at: 'its Secret is made',
    kind: secrets,
    isIt: (object, before) => ![undefined, before].includes(setOf(object)),
  },
  {
    at: 'its Deployment is made',
    kind: deployments,
    isIt: (object, before) => ![undefined, before].includes(setOf(object)),
  },
  {
    at: 'its set is noted as one that serves',
    kind: deployments,
    isIt: (object, before) => setOf(object) !== before && noted(object, annotations.served) === 'true',
  },
  {
    at: 'traffic has moved',
    kind: services,
    isIt: (object: V1Service, before) => {
      const to = object.spec?.selector?.[labels.set];
      return setOf(object) === undefined && to !== undefined && to !== before;
    },
  },
  {
    at: 'the set before is retired',
    kind: deployments,
    isIt: (object, before) => setOf(object) === before && noted(object, annotations.retiredAt) !== undefined,
  },
];

/** The set that gets the requests of a deployment. */
export async function servingSet(world: World, deploymentId: string): Promise<string | undefined> {
  const own = await world.objectsOf(deploymentId, [services]);
  const service: V1Service | undefined = own.find((each) => setOf(each) === undefined);
  return service?.spec?.selector?.[labels.set];
}

/** Does something once, at this moment; `done` is when it was done. */
export async function atPoint<T>(
  world: World,
  { kind, isIt }: Point,
  before: string | undefined,
  act: () => Promise<T>,
): Promise<{ done: Promise<T> }> {
  const reached = Promise.withResolvers<T>();
  let isOver = false;
  // A watch begins with what is there already: sets that drain have been there before.
  const old = (await world.objectsOf(undefined, [kind])).filter((object) => isIt(object, before));
  const passed = new Set(old.map(({ metadata }) => metadata?.uid));
  const stop = await world.watch(pathOf(kind, 'agents'), (_, object) => {
    if (isOver || passed.has(object.metadata?.uid) || !isIt(object, before)) return;
    isOver = true;
    reached.resolve(act());
  });
  return { done: reached.promise.finally(stop) };
}
