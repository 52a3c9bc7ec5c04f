import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CoreV1Api,
  type KubernetesObject,
  RbacAuthorizationV1Api,
  type V1Deployment,
  type V1Pod,
} from '@kubernetes/client-node';
import { x as unpack } from 'tar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpRoute, managedKinds } from '../../lib/compute/kubernetes/kinds.ts';
import type { HTTPRoute } from '../../lib/compute/kubernetes/render/route.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { rightsAsked, rightsOf } from '../support/kubernetes/rights.ts';
import { deploymentOf, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { isRefused, requestsOf } from './audit.ts';
import { chartFolder, installChart, leastValues, upgradeChart } from './chart.ts';
import { chartUser, kubeconfigOfChart, NAMESPACE } from './chart-account.ts';
import { answerRoutes } from './gateway.ts';
import { type RunningListener, World } from './world.ts';

const archive = fileURLToPath(new URL('../support/releases/39e5ef8-kubernetes.tar.zst', import.meta.url));
const accepted = [{ type: 'Accepted', status: 'True', reason: 'Accepted' }] as const;

const processes = new ProcessSupervisor();
let world: World;
let folder: string;
let kubeconfig: string;
let listener: RunningListener | undefined;
let stopAnswering: (() => void) | undefined;

beforeAll(async () => {
  world = await World.open(['agents'], {
    gateway: { name: 'public', namespace: 'gateways' },
    host_template: '{name}.agents.test',
  });
  const core = world.config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
  folder = join(world.cluster.folder, 'release');
  await mkdir(folder);
  await unpack({ file: archive, cwd: folder });
  stopAnswering = await answerRoutes(world, 'agents', () => [...accepted]);
});

afterAll(async () => {
  stopAnswering?.();
  await listener?.stop();
  await processes.close();
  await world.close();
});

const lease = ['--lease-namespace', NAMESPACE];
const rendersPods = managedKinds.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');

/** What runs, and what it is made of: another template of its pods would start it again. */
async function running({ id }: ShownDeployment): Promise<unknown> {
  const sorted = (objects: KubernetesObject[], what: (object: KubernetesObject) => unknown) =>
    objects.map((object) => JSON.stringify([object.metadata?.name, what(object)])).toSorted();
  const pods: V1Pod[] = await world.pods(id);
  const workloads: KubernetesObject[] = await world.objectsOf(id, rendersPods);
  return {
    pods: sorted(pods, ({ metadata }) => metadata?.uid),
    restarts: pods.flatMap(({ status }) =>
      (status?.containerStatuses ?? []).map((each) => each.restartCount),
    ),
    workloads: sorted(workloads, ({ spec }: V1Deployment) => spec),
  };
}

it('an upgrade from the release before leaves what runs as it is, and its rights are those of today', async () => {
  const { kubeconfig: admin } = world.cluster;
  const values = { ...leastValues, listenerId: world.listenerId, gatewayApi: true };
  await installChart(processes, join(folder, 'slipway-listener'), admin, values);
  kubeconfig = await kubeconfigOfChart(world);
  const old = world.listenWith(join(folder, 'listener.mjs'), kubeconfig, ...lease);
  // Its stores too: a server of a `langgraph.json` brings none.
  const made = await world.deploy('kept', 'example.test/agent:1', {
    spec: { db_storage_gi: 1, min_scale: 2, queue_cpu: 0.25 },
  });
  await world.deployed(made);
  const before = await running(made);
  await old.stop();

  await upgradeChart(processes, chartFolder, admin);
  const askedBefore = (await requestsOf(world.cluster.auditLog, chartUser)).length;
  listener = world.listen(kubeconfig, ...lease);
  const isTaken = async () => {
    const [route] = (await world.objectsOf(made.id, [httpRoute])) as (KubernetesObject & HTTPRoute)[];
    return route?.spec.rules.every(({ timeouts }) => timeouts !== undefined);
  };
  await until(isTaken, { what: "today's listener to look after the deployment" });
  expect(await running(made)).toEqual(before);
  expect(await deploymentOf(world.program, made.id)).toMatchObject({ status: 'READY' });

  await world.deployed(await world.change(made.id, 'example.test/agent:2'));
  const rbac = world.config.makeApiClient(RbacAuthorizationV1Api);
  const { rules } = await rbac.readNamespacedRole({ namespace: 'agents', name: 'slipway-listener' });
  expect(rightsOf(rules)).toEqual(rightsAsked(true));
  const asked = (await requestsOf(world.cluster.auditLog, chartUser)).slice(askedBefore);
  expect(asked.filter(isRefused)).toEqual([]);
  await world.deleted(made);
});
