import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CoreV1Api,
  KubeConfig,
  type V1PersistentVolumeClaim,
  type V1Pod,
  type V1PodTemplateSpec,
} from '@kubernetes/client-node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiServer, Refused } from '../../lib/compute/kubernetes/api-server.ts';
import { renderServiceAccount } from '../../lib/compute/kubernetes/render/deployment-objects.ts';
import type { ResourceSpec } from '../../lib/contract/deployments/resource-spec.ts';
import { type PodSecurity, podSecurityProfiles } from '../../lib/contract/pod-security.ts';
import { podSecurityProblems } from '../../lib/domain/kubernetes/pod-security.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { allObjects } from '../support/kubernetes/all-objects.ts';
import { ChartObjects } from '../support/kubernetes/chart-objects.ts';
import { podSecurityCases, securityContexts } from '../support/kubernetes/pod-security-cases.ts';
import { renderContext, serverSpec } from '../support/kubernetes/specs.ts';
import { leastValues, renderChart } from './chart.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const MIXED = 300;
const SEED = 20_261_126;

vi.setConfig({ testTimeout: 600_000 });

const processes = new ProcessSupervisor();
let cluster: Cluster;
let api: ApiServer;

/** Each profile is enforced in the namespace of its name, by the API server's own admission. */
beforeAll(async () => {
  cluster = await startCluster(processes, await mkdtemp(join(tmpdir(), 'slipway-cluster-')));
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  api = new ApiServer(config);
  const core = config.makeApiClient(CoreV1Api);
  for (const profile of podSecurityProfiles) {
    const labels = { 'pod-security.kubernetes.io/enforce': profile };
    await core.createNamespace({ body: { metadata: { name: profile, labels } } });
    const account = renderServiceAccount(serverSpec(), contextOf(profile));
    if (account !== undefined) await api.apply(account, 'slipway');
  }
});

afterAll(async () => {
  await cluster.stop();
  await processes.close();
  await rm(cluster.folder, { recursive: true, force: true });
});

const contextOf = (profile: PodSecurity) =>
  renderContext({ namespace: profile, computeConfig: { pod_security: profile } });

type Maker = { spec?: { template?: V1PodTemplateSpec; volumeClaimTemplates?: V1PersistentVolumeClaim[] } };

/** The pods of everything that is rendered for a spec, by what makes them. */
function podsOf(resource_spec: ResourceSpec, profile: PodSecurity): Map<string, V1Pod> {
  const spec = serverSpec({ resource_spec: { ...resource_spec }, server: 'langgraph', queue: true });
  return new Map(
    [...allObjects(spec, contextOf(profile))].flatMap(([name, object]) => {
      const { template, volumeClaimTemplates: claims = [] } = (object as Maker).spec ?? {};
      if (template?.spec === undefined) return [];
      const claimed = claims.map(({ metadata }) => {
        const claim = metadata?.name ?? '';
        return { name: claim, persistentVolumeClaim: { claimName: claim } };
      });
      const volumes = [...(template.spec.volumes ?? []), ...claimed];
      const metadata = { ...template.metadata, name: 'a-pod' };
      return [
        [name, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...template.spec, volumes } }] as const,
      ];
    }),
  );
}

/** Why the API server refuses a pod in a namespace; undefined: it takes it. */
async function refusalOf(pod: V1Pod, namespace: PodSecurity): Promise<string | undefined> {
  try {
    await api.apply({ ...pod, metadata: { ...pod.metadata, namespace } }, 'slipway', 'All');
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

type Verdict = { ours: boolean; theirs: boolean; spec: ResourceSpec; said: string | undefined };

/** What both say of a spec. Theirs is that of the pod of the server, as it is rendered under the profile. */
async function verdictOf(spec: ResourceSpec, profile: PodSecurity): Promise<Verdict> {
  const invalid = await refusalOf(serverPod(spec, 'privileged'), 'privileged');
  if (invalid !== undefined) throw new Error(`${JSON.stringify(spec)} cannot be tried: ${invalid}`);
  const said = await refusalOf(serverPod(spec, profile), profile);
  const ours = podSecurityProblems(spec, profile).length > 0;
  return { ours, theirs: said !== undefined, spec, said };
}

function serverPod(spec: ResourceSpec, profile: PodSecurity): V1Pod {
  const pod = podsOf(spec, profile).get('Deployment');
  if (pod === undefined) throw new Error('no server is rendered');
  return pod;
}

async function disagreements(specs: ResourceSpec[], profile: PodSecurity): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const spec of specs) verdicts.push(await verdictOf(spec, profile));
  expect(new Set(verdicts.map(({ theirs }) => theirs)).size).toBe(2);
  return verdicts.filter(({ ours, theirs }) => ours !== theirs);
}

/** Some of the fields together; what Kubernetes refuses beside the profiles is left out. */
const mixedContext = fc
  .subarray(securityContexts, { minLength: 1, maxLength: 4 })
  .map((parts): Record<string, unknown> => Object.assign({}, ...parts))
  .filter(
    ({ privileged, allowPrivilegeEscalation: gains, runAsNonRoot, runAsUser }) =>
      !(privileged === true && gains === false) && !(runAsNonRoot === true && runAsUser === 0),
  );

const container = (name: string) =>
  fc.record({
    name: fc.constant(name),
    image: fc.constant('example.test/helper:1'),
    securityContext: mixedContext,
  });
const list = (name: string) => fc.array(container(name), { maxLength: 1 });
const mixedSpec = fc.record({ init_containers: list('first'), sidecars: list('beside') });

describe.each(['baseline', 'restricted'] as const)('pod_security %s', (profile) => {
  it('refuses what Kubernetes refuses, and nothing else', async () => {
    const specs = podSecurityCases.map(({ spec }) => spec);
    expect(await disagreements(specs, profile)).toEqual([]);
  });

  it('refuses the same of fields together', async () => {
    const specs = fc.sample(mixedSpec, { numRuns: MIXED, seed: SEED });
    expect(await disagreements(specs, profile)).toEqual([]);
  });

  it('admits everything that is rendered for a deployment that says nothing of it', async () => {
    const helper = { name: 'helper', image: 'example.test/helper:1' };
    const spec = {
      init_containers: [helper],
      sidecars: [
        { ...helper, name: 'beside' },
        { ...helper, name: 'native', restartPolicy: 'Always' },
        { ...helper, name: 'partly', securityContext: { capabilities: { add: ['NET_BIND_SERVICE'] } } },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    };
    const pods = podsOf(spec, profile);
    expect([...pods.keys()]).toEqual([
      'Deployment',
      'queue Deployment',
      'Redis Deployment',
      'Postgres StatefulSet',
    ]);
    for (const [name, pod] of pods) expect([name, await refusalOf(pod, profile)]).toEqual([name, undefined]);
  });
});

it('pod_security privileged refuses nothing, and neither does Kubernetes', async () => {
  for (const { spec } of podSecurityCases) {
    expect(await refusalOf(serverPod(spec, 'privileged'), 'privileged')).toBeUndefined();
    expect(podSecurityProblems(spec, 'privileged')).toEqual([]);
  }
});

it('the listener of the chart is admitted where restricted is enforced', async () => {
  for (const openshift of [false, true]) {
    const { pod } = new ChartObjects(await renderChart(processes, { ...leastValues, openshift }));
    const spec = { ...pod, serviceAccountName: 'default' };
    const listener: V1Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a-pod' }, spec };
    expect(await refusalOf(listener, 'restricted')).toBeUndefined();
  }
});

it('pods as they were rendered before are refused where restricted is enforced', async () => {
  expect(await refusalOf(serverPod({}, 'privileged'), 'restricted')).toContain('violates PodSecurity');
});
