import { ApiextensionsV1Api, type KubernetesObject, type V1JSONSchemaProps } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpRoute } from '../../lib/compute/kubernetes/kinds.ts';
import { annotations } from '../../lib/compute/kubernetes/render/names.ts';
import type { HTTPRoute } from '../../lib/compute/kubernetes/render/route.ts';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { expectApi, revisionOf, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { answerRoutes, type Verdict } from './gateway.ts';
import { type RunningListener, World } from './world.ts';

const IMAGE = 'example.test/agent:1';
const NO_TIMEOUTS = { request: '0s', backendRequest: '0s' };
const issuer = { 'cert-manager.io/cluster-issuer': 'public' };
const accepted: Verdict[] = [
  { type: 'Accepted', status: 'True', reason: 'Accepted' },
  { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' },
];

let first: World;
const worlds = new Map<string, World>();
const listeners = new Map<string, RunningListener>();
const names = ['open', 'strict', 'closed', 'nobody', 'older'] as const;

/** Each has a namespace, a listener and a Gateway of its name. */
beforeAll(async () => {
  first = await World.open([names[0]]);
  for (const name of names) {
    const world = name === names[0] ? first : await first.beside([name]);
    await world.configure(configOf(name, { route_annotations: issuer }));
    worlds.set(name, world);
    listeners.set(name, world.listen());
  }
});

afterAll(async () => {
  for (const listener of listeners.values()) await listener.stop();
  await first.close();
});

const configOf = (name: string, more: object = {}) => ({
  gateway: { name, namespace: 'gateways' },
  host_template: '{name}.agents.test',
  ...more,
});

function worldOf(name: (typeof names)[number]): World {
  const world = worlds.get(name);
  if (world === undefined) throw new Error(`There is no world ${name}`);
  return world;
}

async function routeOf(world: World, { id }: ShownDeployment): Promise<KubernetesObject & HTTPRoute> {
  const [route] = await world.objectsOf(id, [httpRoute]);
  if (route === undefined) throw new Error(`The deployment ${id} has no HTTPRoute`);
  return route as KubernetesObject & HTTPRoute;
}

const timeoutsOf = ({ spec }: HTTPRoute) => spec.rules.map(({ timeouts }) => timeouts);

async function saidOf(
  world: World,
  { id, latest_revision_id: revision }: ShownDeployment,
): Promise<string[]> {
  const path = `/v1/projects/${id}/revisions/${revision}/deploy_logs`;
  const { logs } = await expectApi<{ logs: { message: string }[] }>(
    world.program,
    'POST',
    path,
    { order: 'asc', limit: 100 },
    200,
  );
  return logs.map(({ message }) => message);
}

/** Starts the listener of a name again: one that runs reads its compute_config within minutes. */
async function restart(name: (typeof names)[number]): Promise<void> {
  await listeners.get(name)?.stop();
  listeners.set(name, worldOf(name).listen());
}

it('waits until its route is accepted, and says so', async () => {
  const world = worldOf('open');
  const made = await world.deploy('open', IMAGE);
  const waits = async () => {
    const { status, status_message: message } = await revisionOf(
      world.program,
      made.id,
      made.latest_revision_id,
    );
    if (isTerminal(status)) throw new Error(`${status}: ${message}`);
    return /^Nobody has accepted the HTTPRoute 'open-.*' for the Gateway 'gateways\/open' so far\./.test(
      message ?? '',
    );
  };
  await until(waits, { what: 'the revision to wait for its route' });
  const stop = await answerRoutes(world, 'open', () => accepted);
  expect(await world.ended(made)).toMatchObject({ status: 'DEPLOYED', status_message: null });
  const route = await routeOf(world, made);
  expect(timeoutsOf(route)).toEqual([NO_TIMEOUTS]);
  expect(route.metadata?.annotations).toMatchObject(issuer);

  // What the operator gives no more goes, and nothing else of it.
  await world.configure(configOf('open'));
  await restart('open');
  const isGone = async () =>
    (await routeOf(world, made)).metadata?.annotations?.[Object.keys(issuer)[0] ?? ''] === undefined;
  await until(isGone, { what: 'the annotation to be gone' });
  expect((await routeOf(world, made)).spec).toEqual(route.spec);
  stop();
});

it('leaves out timeouts that its Gateway does not do, for good, and says so', async () => {
  const world = worldOf('strict');
  const stop = await answerRoutes(world, 'strict', (route) =>
    timeoutsOf(route).includes(undefined)
      ? accepted
      : [{ type: 'Accepted', status: 'False', reason: 'UnsupportedValue' }],
  );
  const made = await world.deploy('strict', IMAGE);
  expect(await world.ended(made)).toMatchObject({ status: 'DEPLOYED', status_message: null });
  const route = await routeOf(world, made);
  expect(timeoutsOf(route)).toEqual([undefined]);
  expect(route.metadata?.annotations).toMatchObject({
    ...issuer,
    [annotations.timeoutsRefused]: 'gateways/strict',
  });
  expect(await saidOf(world, made)).toContainEqual(
    expect.stringMatching(
      /^The Gateway 'gateways\/strict' does not do the timeouts .*UnsupportedValue: says the/,
    ),
  );
  await restart('strict');
  await world.deployed(await world.change(made.id, 'example.test/agent:2'));
  expect((await routeOf(world, made)).metadata?.generation).toBe(route.metadata?.generation);
  stop();
});

it.concurrent.each([
  [
    'closed',
    /^It runs, but is not reached from outside\. The Gateway 'gateways\/closed' does not take the HTTPRoute 'closed-.*' \(NotAllowedByListeners: says the test's controller\)\.$/,
  ],
  ['nobody', /^It runs, but is not reached from outside\. Nobody has accepted the HTTPRoute/],
] as const)('says why its route is not accepted, and is deployed: %s', async (name, reason) => {
  const world = worldOf(name);
  const judge = (): Verdict[] => [{ type: 'Accepted', status: 'False', reason: 'NotAllowedByListeners' }];
  const stop = name === 'closed' ? await answerRoutes(world, name, judge) : () => undefined;
  const made = await world.deploy(name, IMAGE);
  const { status, status_message: message } = await world.ended(made);
  expect([status, message]).toEqual(['DEPLOYED', expect.stringMatching(reason)]);
  expect(await saidOf(world, made)).toContain(message);
  stop();
});

it('leaves out timeouts that the cluster does not know yet, and says so', async () => {
  const world = worldOf('older');
  await forgetTimeouts(world);
  const stop = await answerRoutes(world, 'older', () => accepted);
  const made = await world.deploy('older', IMAGE);
  expect(await world.ended(made)).toMatchObject({ status: 'DEPLOYED', status_message: null });
  expect(timeoutsOf(await routeOf(world, made))).toEqual([undefined]);
  expect(await saidOf(world, made)).toContainEqual(
    expect.stringMatching(/^The cluster's HTTPRoutes have no timeouts, .* Gateway API 1\.2 has them\.$/),
  );
  stop();
});

/** Makes the CRD what it was before Gateway API 1.2; resolves when the API server goes by it. */
async function forgetTimeouts({ config, api }: World): Promise<void> {
  const crds = config.makeApiClient(ApiextensionsV1Api);
  const name = 'httproutes.gateway.networking.k8s.io';
  const crd = await crds.readCustomResourceDefinition({ name });
  const rules = (schema: V1JSONSchemaProps | undefined) => schema?.properties?.spec?.properties?.rules?.items;
  for (const { schema } of crd.spec.versions)
    delete (rules(schema?.openAPIV3Schema) as V1JSONSchemaProps | undefined)?.properties?.timeouts;
  await crds.replaceCustomResourceDefinition({ name, body: crd });
  const route = {
    apiVersion: httpRoute.apiVersion,
    kind: httpRoute.kind,
    metadata: { name: 'try', namespace: 'older' },
    spec: { rules: [{ timeouts: NO_TIMEOUTS }] },
  };
  const isForgotten = () =>
    api.apply(route, 'test', 'All').then(
      () => false,
      () => true,
    );
  await until(isForgotten, { what: 'the API server to forget the timeouts of HTTPRoutes' });
}
