import type { KubernetesObject, V1Deployment, V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kind, managedKinds } from '../../lib/compute/kubernetes/kinds.ts';
import { deploymentOf, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { EndpointWatch } from './endpoint-watch.ts';
import { deployments, servingSet, setOf } from './points.ts';
import { openProxy, type Proxy } from './proxy.ts';
import { type RunningListener, World } from './world.ts';

/** So often the listener asks in vain before it counts as away. */
const ATTEMPTS = 3;

let world: World;
let proxy: Proxy;
let listener: RunningListener;
let made: ShownDeployment[];
let isAway = false;
/** It goes away when it has heard of a failure. */
let isFailing = false;
/** Says of what body the control plane goes away with the request. */
let isLast: ((body: string) => boolean) | undefined;
/** Paths of the requests that were broken off. */
const refused: string[] = [];
const endpoints = new EndpointWatch();

const listen = () => world.listen(undefined, '--url', proxy.url);

beforeAll(async () => {
  world = await World.open();
  await endpoints.start(world);
  proxy = await openProxy(world.program.baseUrl, {
    before: ({ path, body }, outgoing) => {
      if (isLast?.(body)) goAway();
      if (!isAway) return undefined;
      refused.push(path);
      outgoing.destroy();
      return 'answered';
    },
    after: ({ path, body }) => {
      if (isFailing && path.endsWith('/complete') && body.includes('"failed"')) isAway = true;
    },
  });
  listener = listen();
  made = await Promise.all(
    ['one', 'two'].map((name) =>
      world.deploy(name, 'example.test/agent:1', { spec: { min_scale: 2, max_scale: 3, cpu: 0.25 } }),
    ),
  );
  for (const each of made) await world.deployed(each);
});

afterAll(async () => {
  endpoints.stop();
  await listener.stop();
  await proxy.close();
  await world.close();
});

const becomes = (what: string, isSo: () => Promise<boolean> | boolean) =>
  until(isSo, { what: () => `${what}; ${listener.output()}` });

const goAway = () => {
  isAway = true;
  proxy.drop();
};

const isRefused = (route: RegExp) => {
  const before = refused.length;
  return () => refused.slice(before).filter((path) => route.test(path)).length >= ATTEMPTS;
};

const nameOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata?.name} ${metadata?.uid}`;
const everything = async () => (await world.objectsOf()).map(nameOf).toSorted();
const podsOf = ({ id }: ShownDeployment) => world.pods(id) as Promise<V1Pod[]>;
const isReady = ({ status }: V1Pod) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');

const kindOf = (name: string): Kind[] => managedKinds.filter(({ kind }) => kind === name);

/** Deletes an object of this kind, and waits until another one is in its place. */
async function lose({ id }: ShownDeployment, kind: string): Promise<void> {
  const [lost] = await world.objectsOf(id, kindOf(kind));
  if (lost === undefined) throw new Error(`There is no ${kind}`);
  await world.api.remove(lost);
  await becomes(`${kind} to be back`, async () => {
    const [now] = await world.objectsOf(id, kindOf(kind));
    return now !== undefined && now.metadata?.uid !== lost.metadata?.uid;
  });
}

/** Ends a server, and waits for the one that comes instead. */
async function restart(deployment: ShownDeployment): Promise<void> {
  const [pod] = await podsOf(deployment);
  if (pod === undefined) throw new Error('There is no server');
  await world.api.remove({ ...pod, apiVersion: 'v1', kind: 'Pod' });
  await becomes('another server', async () => {
    const now = await podsOf(deployment);
    return (
      now.length === 2 &&
      now.every(isReady) &&
      !now.some(({ metadata }) => metadata?.uid === pod.metadata?.uid)
    );
  });
}

async function imageOf({ id }: ShownDeployment): Promise<string | undefined> {
  const [found]: V1Deployment[] = await world.objectsOf(id, [deployments]);
  return found?.spec?.template.spec?.containers[0]?.image;
}

async function changeImageOf({ id }: ShownDeployment): Promise<void> {
  const [found]: V1Deployment[] = await world.objectsOf(id, [deployments]);
  const { name = '', namespace = '' } = found?.metadata ?? {};
  const containers = [{ name: 'server', image: 'example.test/another:1' }];
  const spec = { template: { spec: { containers } } };
  await world.api.apply<KubernetesObject & { spec: object }>(
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec },
    'somebody',
  );
}

describe('while the control plane is away', () => {
  it('what runs goes on, servers are replaced, and what others change is put back', async () => {
    const [one, two] = made as [ShownDeployment, ShownDeployment];
    const before = await everything();
    const isGone = isRefused(/\/tasks\/claim$/);
    goAway();
    await becomes('the listener to ask in vain', isGone);
    await restart(one);
    for (const kind of ['NetworkPolicy', 'HorizontalPodAutoscaler']) await lose(one, kind);
    await changeImageOf(two);
    await becomes('the image to be ours again', async () => (await imageOf(two)) === 'example.test/agent:1');
    const after = await everything();
    const replaced = before.filter((each) => !after.includes(each)).map((each) => each.split(' ')[0]);
    expect(replaced).toEqual(['HorizontalPodAutoscaler', 'NetworkPolicy']);
    expect(after).toHaveLength(before.length);
    expect(listener.group.exit).toBeUndefined();
  });

  it('a listener that is started touches nothing, and waits', async () => {
    const [one] = made as [ShownDeployment];
    await listener.stop();
    const before = await everything();
    listener = listen();
    const isGone = isRefused(/\/desired$/);
    await becomes('the new listener to ask in vain', isGone);
    await restart(one);
    await becomes('it to ask again', isRefused(/\/desired$/));
    expect(await everything()).toEqual(before);
    expect(listener.group.exit).toBeUndefined();
  });

  it('and goes on when it is back', async () => {
    const [one, two] = made as [ShownDeployment, ShownDeployment];
    await changeImageOf(two);
    isAway = false;
    await becomes('the image to be ours again', async () => (await imageOf(two)) === 'example.test/agent:1');
    for (const { id } of made)
      await becomes(
        'both to be well',
        async () => (await deploymentOf(world.program, id)).status === 'READY',
      );
    const changed = await world.change(one.id, 'example.test/agent:2');
    expect(await world.ended(changed)).toMatchObject({ status: 'DEPLOYED' });
  });

  it('an update that it has begun moves no traffic before it is back', async () => {
    const [, two] = made as [ShownDeployment, ShownDeployment];
    const before = await servingSet(world, two.id);
    const isGone = isRefused(/\/heartbeat$/);
    isLast = (body) => body.includes('"switching"');
    const changed = await world.change(two.id, 'example.test/agent:2');
    await becomes('the listener to ask in vain whether it may', isGone);
    await becomes('its servers to be ready', async () => {
      const pods = (await podsOf(two)).filter((pod) => setOf(pod) !== before);
      return pods.length === 2 && pods.every(isReady);
    });
    expect(await servingSet(world, two.id)).toBe(before);
    isLast = undefined;
    isAway = false;
    await world.deployed(changed);
    expect(await servingSet(world, two.id)).not.toBe(before);
  });

  it('what a revision has made that is the first and fails goes without a word from it', async () => {
    isFailing = true;
    const failing = await world.deploy('failing', 'pretend.test/pull-fail:1');
    await becomes('all of it to be made', async () => (await world.objectsOf(failing.id)).length > 0);
    await becomes('it to have failed, and be gone', async () => {
      return isAway && (await world.objectsOf(failing.id)).length === 0;
    });
    isFailing = false;
    isAway = false;
    expect(await world.ended(failing)).toMatchObject({ status: 'DEPLOY_FAILED' });
  });

  it('never had a Service that served without an endpoint', () => {
    expect(endpoints.gaps).toEqual([]);
    expect(endpoints.moves).toBeGreaterThanOrEqual(made.length);
  });
});
