import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  type V1PolicyRule,
  type V1Role,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotations as notes } from '../../lib/listener/drivers/kubernetes/render/names.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { ChartObjects } from '../support/kubernetes/chart-objects.ts';
import { api, expectApi } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { fullValues, leastValues, renderChart } from './chart.ts';
import { type RunningListener, World } from './world.ts';

const TIMEOUT_MS = 60_000;
const NAMESPACE = 'slipway';
const ACCOUNT = 'slipway-listener';

const processes = new ProcessSupervisor();
let world: World;
let listener: RunningListener;
let heartbeatFile: string;

beforeAll(async () => {
  world = await World.open(['agents']);
  const core = world.config.makeApiClient(CoreV1Api);
  for (const name of [NAMESPACE, 'more']) await core.createNamespace({ body: { metadata: { name } } });
  heartbeatFile = join(world.cluster.folder, 'heartbeat');
});

afterAll(async () => {
  await listener?.stop();
  await processes.close();
  await world.close();
});

/** What a line of the audit log says of a request, as far as a role is about it. */
type Audited = {
  verb: string;
  user: { username: string };
  objectRef?: { resource: string; apiGroup?: string; namespace?: string; subresource?: string };
  responseStatus?: { code?: number };
  annotations?: Record<string, string>;
};

const CREATED = 201;

const plurals: Record<string, string> = {
  ServiceAccount: 'serviceaccounts',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Deployment: 'deployments',
  PodDisruptionBudget: 'poddisruptionbudgets',
};

/**
 * Applies an object as it is written, which the API server refuses when it does not know a field: the client
 * would leave that out.
 */
async function apply(object: KubernetesObject, query = ''): Promise<string> {
  const { apiVersion = '', kind = '', metadata } = object;
  const place = `namespaces/${metadata?.namespace}/${plurals[kind]}/${metadata?.name}`;
  const path = `${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/${place}`;
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = { method: 'PATCH' };
  await world.config.applyToHTTPSOptions(options);
  const headers = { ...options.headers, 'content-type': 'application/apply-patch+yaml' };
  const url = `${world.config.getCurrentCluster()?.server}/${path}?fieldManager=test${query}`;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, headers }, (response) => {
      void text(response).then((said) =>
        resolve(response.statusCode?.toString().startsWith('2') ? 'taken' : said),
      );
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(object));
  });
}

const render = async (values: object) => new ChartObjects(await renderChart(processes, values)).all;

/** The administrator's kubeconfig, but as the chart's account. */
async function kubeconfigOfAccount(): Promise<string> {
  const core = world.config.makeApiClient(CoreV1Api);
  const body = { spec: { audiences: [], expirationSeconds: 3600 } };
  const { status } = await core.createNamespacedServiceAccountToken({
    namespace: NAMESPACE,
    name: ACCOUNT,
    body,
  });
  const cluster = world.config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no cluster');
  const config = new KubeConfig();
  config.loadFromClusterAndUser(cluster, { name: ACCOUNT, token: status?.token ?? '' });
  const file = join(world.cluster.folder, 'account-kubeconfig');
  await writeFile(file, config.exportConfig());
  return file;
}

it('an API server knows every field that the chart has', async () => {
  const objects = await render({ ...fullValues, listenerId: world.listenerId });
  expect(await Promise.all(objects.map((object) => apply(object, '&dryRun=All')))).toEqual(
    objects.map(() => 'taken'),
  );
  const [wrong] = objects.filter(({ kind }) => kind === 'Deployment');
  expect(await apply({ ...wrong, spec: { unheard: 1 } } as KubernetesObject, '&dryRun=All')).toContain(
    'unheard',
  );
});

/** What the account has asked for, by what was decided, as `namespace: group/resource verb`. */
async function askedFor(): Promise<Record<string, string[]>> {
  const lines = (await readFile(join(world.cluster.folder, 'audit.log'), 'utf8')).split('\n').slice(0, -1);
  const asked: Record<string, Set<string>> = {};
  for (const line of lines) {
    const { user, verb, objectRef, responseStatus, annotations }: Audited = JSON.parse(line);
    if (user.username !== `system:serviceaccount:${NAMESPACE}:${ACCOUNT}` || objectRef === undefined)
      continue;
    const { apiGroup = '', resource, subresource, namespace } = objectRef;
    const what = [resource, subresource].filter((part) => part !== undefined).join('/');
    const decision = annotations?.['authorization.k8s.io/decision'] ?? 'allow';
    // To apply what is not there needs both rights, and the log has one of them.
    const verbs = verb === 'patch' && responseStatus?.code === CREATED ? ['patch', 'create'] : [verb];
    asked[decision] ??= new Set();
    for (const each of verbs) asked[decision].add(`${namespace}: ${apiGroup}/${what} ${each}`);
  }
  return Object.fromEntries(
    Object.entries(asked).map(([decision, rights]) => [decision, [...rights].toSorted()]),
  );
}

/** What the chart's Roles grant, in the same words. */
function grantedBy(objects: readonly KubernetesObject[]): string[] {
  const roles = objects.filter((object): object is V1Role => object.kind === 'Role');
  const rights = roles.flatMap(({ metadata, rules = [] }) =>
    rules.flatMap((rule: V1PolicyRule) =>
      (rule.apiGroups ?? []).flatMap((group) =>
        (rule.resources ?? []).flatMap((resource) =>
          rule.verbs.map((verb) => `${metadata?.namespace}: ${group}/${resource} ${verb}`),
        ),
      ),
    ),
  );
  return [...new Set(rights)].toSorted();
}

const startListener = async () =>
  world.listen(
    await kubeconfigOfAccount(),
    ...['--lease-namespace', NAMESPACE, '--heartbeat-file', heartbeatFile],
  );

async function removed(id: string): Promise<void> {
  expect(await api(world.program, 'DELETE', `/v2/deployments/${id}`)).toMatchObject({ status: 204 });
  const isGone = async () => (await api(world.program, 'GET', `/v2/deployments/${id}`)).status === 404;
  await until(isGone, { timeoutMs: TIMEOUT_MS, what: 'the deployment to be gone' });
  expect(await world.objectsOf(id)).toEqual([]);
}

it('a listener with the rights of the chart deploys, says why it cannot, and removes', async () => {
  for (const object of await render({ ...leastValues, listenerId: world.listenerId }))
    expect(await apply(object)).toBe('taken');
  listener = await startListener();
  const spec = { min_scale: 2, max_scale: 4, cpu: 0.25, memory_mb: 512 };
  const made = await world.deploy('limited', 'example.test/agent:1', { spec });
  await world.deployed(made);
  await world.deployed(await world.change(made.id, 'example.test/agent:2'));
  expect(
    await world.ended(await world.change(made.id, 'pretend.test/crash-loop/log-lines-3:1')),
  ).toMatchObject({
    status: 'DEPLOY_FAILED',
    status_message: expect.stringMatching(/Its last lines of output:/),
  });
  expect(existsSync(heartbeatFile)).toBe(true);
  await removed(made.id);
  expect(listener.output()).toContain('HTTPRoutes are neither made nor removed');
});

it('asks for nothing that is forbidden, but for HTTPRoutes once', async () => {
  const { forbid = [] } = await askedFor();
  expect(forbid).toEqual(['agents: gateway.networking.k8s.io/httproutes list']);
});

/** How many objects of a kind a deployment has. */
const countOf = async (id: string, kind: string) =>
  (await world.objectsOf(id)).filter((object) => object.kind === kind).length;

async function routeBy(id: string, routing: object, kind: 'Ingress' | 'HTTPRoute'): Promise<void> {
  const compute_config = {
    k8s_namespaces: world.namespaces,
    host_template: '{name}.agents.test',
    ...routing,
  };
  await expectApi(world.program, 'PATCH', `/v2/listeners/${world.listenerId}`, { compute_config }, 200);
  // One that runs reads it within minutes.
  await listener.stop();
  listener = await startListener();
  const other = kind === 'Ingress' ? 'HTTPRoute' : 'Ingress';
  const isSo = async () => (await countOf(id, kind)) === 1 && (await countOf(id, other)) === 0;
  await until(isSo, { timeoutMs: TIMEOUT_MS, what: `one ${kind} and no ${other}` });
}

/** Somebody else writes to the Service of each deployment that a listener is about to move. */
const meddle = () =>
  world.watch('/api/v1/namespaces/agents/services', (type, { metadata }) => {
    if (type !== 'MODIFIED' || metadata?.annotations?.[notes.lease] === undefined) return;
    if (metadata.annotations['example.com/met'] !== undefined) return;
    const { name = '', namespace = '' } = metadata;
    const met = { name, namespace, annotations: { 'example.com/met': 'yes' } };
    void world.api.apply({ apiVersion: 'v1', kind: 'Service', metadata: met }, 'somebody');
  });

it('uses every right that the chart grants, and no other', async () => {
  await listener.stop();
  const objects = await render({ ...leastValues, listenerId: world.listenerId, gatewayApi: true });
  for (const object of objects) expect(await apply(object)).toBe('taken');
  listener = await startListener();
  const spec = { min_scale: 1, cpu: 0.25, memory_mb: 512, db_storage_gi: 1, redis_memory_mb: 128 };
  const made = await world.deploy('routed', 'example.test/agent:1', { spec });
  await world.deployed(made);
  expect(await countOf(made.id, 'StatefulSet')).toBe(1);
  await routeBy(made.id, { ingress_class: 'nginx' }, 'Ingress');
  await routeBy(made.id, { gateway: { name: 'front' } }, 'HTTPRoute');
  const stop = await meddle();
  await world.deployed(await world.change(made.id, 'example.test/agent:2'));
  stop();
  await routeBy(made.id, { ingress_class: 'nginx' }, 'Ingress');
  await removed(made.id);
  const { allow = [] } = await askedFor();
  expect(allow).toEqual(grantedBy(objects));
});
