import type { KubernetesObject, V1Deployment } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managedKinds } from '../../lib/compute/kubernetes/kinds.ts';
import { covers } from '../../lib/compute/kubernetes/mend.ts';
import { annotations, labels } from '../../lib/compute/kubernetes/render/names.ts';
import { deploymentOf, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { type RunningListener, World } from './world.ts';

let world: World;
let listener: RunningListener;
let made: ShownDeployment;

beforeAll(async () => {
  world = await World.open();
  listener = world.listen();
  made = await world.deploy('drifting', 'example.test/agent:1', {
    spec: { min_scale: 2, max_scale: 4 },
    secrets: [{ name: 'TOKEN', value: 'a long secret value' }],
  });
  await world.deployed(made);
});

afterAll(async () => {
  await listener.stop();
  await world.close();
});

/** What of an object is the driver's: names and labels, and what was rendered. */
const ownPart = ({ kind, metadata, ...rest }: KubernetesObject & { data?: unknown; spec?: unknown }) => ({
  kind,
  name: metadata?.name,
  labels: metadata?.labels,
  data: rest.data,
  ...(kind === 'Service' && { selector: (rest.spec as { selector?: unknown }).selector }),
});

const sorted = (objects: KubernetesObject[]) =>
  objects
    .map(ownPart)
    .toSorted((one, other) => `${one.kind}${one.name}`.localeCompare(`${other.kind}${other.name}`));

const becomes = (what: string, isSo: () => Promise<boolean>) => until(isSo, { what });

describe('what others do to the objects of a deployment', () => {
  it.each(managedKinds.filter(({ kind }) => !['HTTPRoute', 'Ingress', 'StatefulSet'].includes(kind)))(
    'is undone when they delete a $kind',
    async (kind) => {
      const before = sorted(await world.objectsOf(made.id));
      for (const object of await world.objectsOf(made.id, [kind])) await world.api.remove(object);
      const isBack = async () => covers(sorted(await world.objectsOf(made.id)), before);
      await becomes(`each ${kind.kind} to be back`, isBack);
      expect(await isBack()).toBe(true);
    },
  );

  it('is undone when they change what is ours, and left where it is theirs', async () => {
    const [deployment] = (await world.objectsOf(made.id, managedKinds.slice(3, 4))) as V1Deployment[];
    const [container] = deployment?.spec?.template.spec?.containers ?? [];
    const header = { apiVersion: 'apps/v1', kind: 'Deployment' };
    const { name = '', namespace = '' } = deployment?.metadata ?? {};
    const metadata = { name, namespace, annotations: { 'example.com/theirs': 'stays' } };
    const changed = { name: container?.name ?? '', image: 'example.test/another:1' };
    await world.api.apply(
      { ...header, metadata, spec: { template: { spec: { containers: [changed] } } } },
      'somebody',
    );
    const now = () => world.api.read<V1Deployment>({ ...header, metadata: { name, namespace } });
    await becomes('the image to be ours again', async () => {
      return (await now())?.spec?.template.spec?.containers?.[0]?.image === 'example.test/agent:1';
    });
    expect((await now())?.metadata?.annotations).toMatchObject({ 'example.com/theirs': 'stays' });
  });

  it('is left to an autoscaler where it is the number of servers', async () => {
    const busy = await world.deploy('busy', 'pretend.test/cpu-millis-2000:1', {
      spec: { min_scale: 2, max_scale: 4, cpu: 0.25 },
    });
    await world.deployed(busy);
    const servers = async () => (await world.pods(busy.id)).length;
    await becomes('as many servers as there may be', async () => (await servers()) === 4);
    const [deployment] = await world.objectsOf(busy.id, managedKinds.slice(3, 4));
    const { name = '', namespace = '' } = deployment?.metadata ?? {};
    const header = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace } };
    const now = () => world.api.read<V1Deployment>(header);
    // Something that is mended shows that it was looked at.
    const metadata = { ...header.metadata, labels: { [labels.name]: 'another' } };
    await world.api.apply({ ...header, metadata }, 'somebody');
    await becomes(
      'the label to be back',
      async () => (await now())?.metadata?.labels?.[labels.name] === 'busy',
    );
    expect((await now())?.spec?.replicas).toBe(4);
    expect((await now())?.metadata?.annotations?.[annotations.retiredAt]).toBeUndefined();
  });

  it('is what health tells of', async () => {
    expect(await deploymentOf(world.program, made.id)).toMatchObject({ status: 'READY' });
  });
});

describe('the way in from outside', () => {
  const kindsNow = async () => {
    const routes = (await world.objectsOf(made.id)).map(({ kind }) => kind);
    return routes.filter((kind) => kind === 'Ingress' || kind === 'HTTPRoute').join();
  };

  it('is one, also when the listener is told to route another way', async () => {
    const hosts = { host_template: '{name}.agents.test' };
    for (const [routing, kind] of [
      [{ ingress_class: 'inside' }, 'Ingress'],
      [{ gateway: { name: 'public' } }, 'HTTPRoute'],
      [{ ingress_class: 'inside' }, 'Ingress'],
    ] as const) {
      await world.configure({ ...routing, ...hosts });
      await becomes(`one ${kind}`, async () => (await kindsNow()) === kind);
      expect(await kindsNow()).toBe(kind);
    }
  });
});
