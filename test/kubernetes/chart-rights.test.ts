import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CoreV1Api, type KubernetesObject, type V1Role } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { labels } from '../../lib/compute/kubernetes/render/names.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { ChartObjects } from '../support/kubernetes/chart-objects.ts';
import { rightsOf } from '../support/kubernetes/rights.ts';
import type { ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { isRefused, requestsOf, rightAskedBy, rightsTaken } from './audit.ts';
import { fullValues, leastValues, renderChart } from './chart.ts';
import { applyOfChart, chartUser, kubeconfigOfChart, NAMESPACE } from './chart-account.ts';
import { type RunningListener, World } from './world.ts';

const NAME = 'slipway-listener';
const httpRoutes = 'gateway.networking.k8s.io/httproutes';
const hosts = { host_template: '{name}.agents.test' };

const processes = new ProcessSupervisor();
let world: World;
let listener: RunningListener;
let heartbeatFile: string;

beforeAll(async () => {
  world = await World.open(['agents'], { ingress_class: 'inside', ...hosts });
  const core = world.config.makeApiClient(CoreV1Api);
  for (const name of [NAMESPACE, 'more']) await core.createNamespace({ body: { metadata: { name } } });
  heartbeatFile = join(world.cluster.folder, 'heartbeat');
});

afterAll(async () => {
  await listener?.stop();
  await processes.close();
  await world.close();
});

const render = async (values: object) =>
  new ChartObjects(await renderChart(processes, { ...values, listenerId: world.listenerId }));

/** Applies the chart with these values and gives its roles, then starts a listener under its account. */
async function install(values: object): Promise<{ agents: V1Role; lease: V1Role }> {
  const objects = await render(values);
  for (const object of objects.all) expect(await applyOfChart(world, object)).toBe('taken');
  const kubeconfig = await kubeconfigOfChart(world);
  listener = world.listen(kubeconfig, ...['--lease-namespace', NAMESPACE, '--heartbeat-file', heartbeatFile]);
  const agents = objects.roles(NAME).get('agents');
  const lease = objects.roles(`${NAME}-lease`).get(NAMESPACE);
  if (agents === undefined || lease === undefined) throw new Error('The chart has lost one of its roles');
  return { agents, lease };
}

const requestsIn = async (namespace: string) =>
  (await requestsOf(world.cluster.auditLog, chartUser)).filter(
    ({ objectRef }) => objectRef?.namespace === namespace,
  );

/** Of a server that is not ready: what another one has written on the Service does not keep the traffic. */
async function annotateServiceOf({ id }: ShownDeployment): Promise<void> {
  const server = async () => (await world.pods(id)).find(({ metadata }) => metadata?.labels?.[labels.set]);
  const pod = await until(server, { what: 'a server' });
  const services = (await world.objectsOf(id)).filter(({ kind }) => kind === 'Service');
  for (const { apiVersion = '', kind = '', metadata } of services)
    await annotate(apiVersion, kind, metadata, { 'example.com/seen': 'yes' });
  await annotate('v1', 'Pod', pod.metadata, { 'pretend/ready': 'true' });
}

const placeOf = (metadata: KubernetesObject['metadata']) => ({
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
});

const annotate = (
  apiVersion: string,
  kind: string,
  metadata: KubernetesObject['metadata'],
  annotations: Record<string, string>,
) =>
  world.api.apply<KubernetesObject>(
    { apiVersion, kind, metadata: { ...placeOf(metadata), annotations } },
    'somebody',
  );

it('an API server knows every field that the chart has', async () => {
  const { all } = await render(fullValues);
  expect(await Promise.all(all.map((object) => applyOfChart(world, object, '&dryRun=All')))).toEqual(
    all.map(() => 'taken'),
  );
  const [wrong] = all.filter(({ kind }) => kind === 'Deployment');
  const unheard = { ...wrong, spec: { unheard: 1 } } as KubernetesObject;
  expect(await applyOfChart(world, unheard, '&dryRun=All')).toContain('unheard');
});

it('a listener with the rights of the chart does all that it can, and no right is left over', async () => {
  const { agents, lease } = await install(leastValues);
  const spec = { min_scale: 2, max_scale: 4, cpu: 0.25, memory_mb: 512 };
  const made = await world.deploy('limited', 'example.test/agent:1', { spec });
  const stores = await world.deploy('stores', 'example.test/agent:1', { spec: { db_storage_gi: 1 } });
  const contended = await world.deploy('contended', 'example.test/agent:1', {
    spec: { annotations: { 'pretend/ready': 'false' } },
  });
  await annotateServiceOf(contended);
  await world.deployed(contended);
  await world.deployed(stores);
  await world.deployed(made);
  await world.deployed(await world.change(made.id, 'example.test/agent:2'));
  expect(
    await world.ended(await world.change(made.id, 'pretend.test/crash-loop/log-lines-3:1')),
  ).toMatchObject({
    status: 'DEPLOY_FAILED',
    status_message: expect.stringMatching(/Its last lines of output:/),
  });
  expect(existsSync(heartbeatFile)).toBe(true);
  for (const each of [made, stores, contended]) await world.deleted(each);
  expect(listener.output()).toContain('HTTPRoutes are neither made nor removed');

  const asked = await requestsIn('agents');
  expect([...new Set(asked.filter(isRefused).map(rightAskedBy))]).toEqual([`${httpRoutes} list`]);
  expect(rightsTaken(asked)).toEqual(rightsOf(agents.rules));
  // Its rules name the one Lease; the log has its name also where that is not asked for, when it is made.
  const withoutName = rightsOf(lease.rules).map((right) => right.replace(` slipway-${world.listenerId}`, ''));
  const leases = await requestsIn(NAMESPACE);
  expect(leases.filter(isRefused)).toEqual([]);
  expect(rightsTaken(leases)).toEqual(withoutName);
});

it('and so it is with the rights to HTTPRoutes', async () => {
  await listener.stop();
  await world.configure({ gateway: { name: 'public', namespace: 'gateways' }, ...hosts });
  const since = (await requestsIn('agents')).length;
  const { agents } = await install({ ...leastValues, gatewayApi: true });
  const made = await world.deploy('routed', 'example.test/agent:1');
  await world.deployed(made);
  await world.deleted(made);

  const asked = (await requestsIn('agents')).slice(since);
  expect(asked.filter(isRefused)).toEqual([]);
  const ofRoutes = (right: string) => right.startsWith(httpRoutes);
  expect(rightsTaken(asked).filter(ofRoutes)).toEqual(rightsOf(agents.rules).filter(ofRoutes));
});

it('asks for nothing elsewhere', async () => {
  const namespaces = (await requestsOf(world.cluster.auditLog, chartUser)).map(
    ({ objectRef }) => objectRef?.namespace,
  );
  expect(new Set(namespaces)).toEqual(new Set(['agents', NAMESPACE]));
});
