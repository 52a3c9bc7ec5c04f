import { describe, expect, it } from 'vitest';
import type { ServerSpec } from '../../../../lib/compute/kubernetes/render/context.ts';
import { renderSet, setKey } from '../../../../lib/compute/kubernetes/render/set.ts';
import { resolveResourceSpec } from '../../../../lib/domain/resource-spec.ts';
import { renderContext, serverSpec } from '../../../support/kubernetes/specs.ts';

const context = renderContext();
const podOf = (own: Partial<ServerSpec>, at = context) =>
  renderSet(serverSpec(own), at, 1).deployment.spec?.template.spec;
const serverOf = (own: Partial<ServerSpec>, at = context) => podOf(own, at)?.containers[0];

/** What nodes have to be, one list a kind. */
const nodesOf = (platforms: string[] | undefined) =>
  podOf({
    artifact: { kind: 'image', uri: 'registry.example.com/agent@sha256:0', ...(platforms && { platforms }) },
  })?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms.map((term) =>
    term.matchExpressions?.map(({ key, operator, values }) => `${key} ${operator} ${values?.join()}`),
  );

it.each([
  [undefined, undefined],
  [[], undefined],
  [['linux/arm64'], [['kubernetes.io/os In linux', 'kubernetes.io/arch In arm64']]],
  [
    ['linux/amd64', 'linux/arm64/v8'],
    [
      ['kubernetes.io/os In linux', 'kubernetes.io/arch In amd64'],
      ['kubernetes.io/os In linux', 'kubernetes.io/arch In arm64'],
    ],
  ],
])('an image that was built for %j goes to nodes of that kind', (platforms, nodes) => {
  expect(nodesOf(platforms)).toEqual(nodes);
});

describe('a set', () => {
  it('has servers with their probes, a pause before they stop, and what selects them', () => {
    const { key, deployment, trialService, secret, ...rest } = renderSet(serverSpec(), context, 3);
    const selector = {
      'slipway.dev/deployment': serverSpec().deployment_id,
      'slipway.dev/set': key,
      'app.kubernetes.io/component': 'server',
    };
    expect(rest).toEqual({ notes: [] });
    expect(deployment.metadata?.name).toBe(`my-agent-deadbeef-${key}`);
    expect(deployment.spec).toMatchObject({
      replicas: 3,
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: 300,
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      selector: { matchLabels: selector },
      template: { metadata: { labels: selector } },
    });
    expect(trialService.spec).toEqual({
      type: 'ClusterIP',
      selector,
      ports: [{ name: 'http', port: 80, targetPort: 8000 }],
    });
    expect(secret.metadata?.name).toBe(deployment.metadata?.name);
    const health = { httpGet: { path: '/ok', port: 8000 } };
    expect(podOf({})).toMatchObject({
      serviceAccountName: 'my-agent-deadbeef',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 185,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'server',
          readinessProbe: health,
          startupProbe: { ...health, periodSeconds: 2, failureThreshold: 150 },
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
          securityContext: { allowPrivilegeEscalation: false },
        },
      ],
    });
  });

  it('is asked as its deployment says, and a server of an unknown kind need only listen', () => {
    const probesOf = (own: Partial<ServerSpec>) => {
      const { startupProbe, readinessProbe } = serverOf(own) ?? {};
      return [startupProbe, readinessProbe];
    };
    const named = { httpGet: { path: '/ready', port: 8000 } };
    const health_check = { path: '/ready', timeout_seconds: 60 };
    for (const server of ['langgraph', 'other'] as const)
      expect(probesOf({ server, health_check })).toMatchObject([{ ...named, failureThreshold: 30 }, named]);
    const listens = { tcpSocket: { port: 8000 } };
    expect(probesOf({ server: 'other', health_check: {} })).toMatchObject([listens, listens]);
    expect(probesOf({ server: 'langgraph' })[0]).toMatchObject({ httpGet: { path: '/ok' } });
    const { deployment } = renderSet(serverSpec({ health_check }), context, 1);
    expect(deployment.spec?.progressDeadlineSeconds).toBe(60);
  });

  it('is started by its start_command, which a shell gives its place to', () => {
    expect(serverOf({ start_command: './serve --port $PORT' })?.command).toEqual([
      'sh',
      '-c',
      'exec ./serve --port $PORT',
    ]);
    expect(serverOf({ start_command: 'a && b' })?.command).toEqual(['sh', '-c', 'a && exec b']);
    expect(serverOf({ start_command: null })).not.toHaveProperty('command');
  });

  it('lets a server start for as long as the driver waits', () => {
    const slow = renderContext({ startTimeoutSeconds: 901 });
    expect(serverOf({}, slow)?.startupProbe?.failureThreshold).toBe(451);
    expect(renderSet(serverSpec(), slow, 1).deployment.spec?.progressDeadlineSeconds).toBe(901);
  });

  it('says what it is for on its Deployments', () => {
    const { deployment } = renderSet(serverSpec({ epoch: 7 }), context, 1);
    expect(deployment.metadata?.annotations).toEqual({
      'slipway.dev/deployment-name': 'my_agent',
      'slipway.dev/revision': serverSpec().revision_id,
      'slipway.dev/grace-seconds': '180',
    });
    expect(deployment.spec?.template.metadata?.annotations).toBeUndefined();
  });

  it('cannot be rendered of a folder', () => {
    const artifact = { kind: 'folder', url: 'https://files.example.com/a', sha256: '0' } as const;
    expect(() => renderSet(serverSpec({ artifact }), context, 1)).toThrow('a cluster runs images');
  });
});

describe('queue workers apart', () => {
  const resource_spec = resolveResourceSpec({ cpu: 1, queue_min_scale: 2, queue_max_scale: 5 });
  const { queue, queueAutoscaler, queueDisruptionBudget, key, deployment } = renderSet(
    serverSpec({ queue: true, server: 'langgraph', resource_spec }),
    context,
    1,
  );

  it('are a second Deployment of the same image, with their own numbers', () => {
    expect(queue?.metadata?.name).toBe(`my-agent-deadbeef-${key}-q`);
    expect(queue?.spec?.replicas).toBe(2);
    expect(queue?.spec?.selector.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'queue' });
    expect(queue?.spec?.template.spec?.containers[0]).toMatchObject({
      name: 'queue',
      image: serverOf({})?.image,
      command: ['python', '-m', 'langgraph_api.queue_entrypoint'],
      resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
    });
    expect(queue?.spec?.template.spec?.containers[0]?.lifecycle).toBeUndefined();
    expect(queueAutoscaler?.spec).toMatchObject({
      scaleTargetRef: { name: queue?.metadata?.name },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [{ containerResource: { container: 'queue', target: { averageUtilization: 80 } } }],
    });
    expect(queueDisruptionBudget?.spec).toEqual({ maxUnavailable: 1, selector: queue?.spec?.selector });
  });

  it('leave no jobs to the API server', () => {
    const jobs = { name: 'N_JOBS_PER_WORKER', value: '0' };
    expect(deployment.spec?.template.spec?.containers[0]?.env).toContainEqual(jobs);
    expect(queue?.spec?.template.spec?.containers[0]?.env).not.toContainEqual(jobs);
    expect(serverOf({ server: 'langgraph' })?.env).not.toContainEqual(jobs);
  });
});

describe('how many servers', () => {
  const setOf = (resource_spec: object) =>
    renderSet(serverSpec({ resource_spec: { ...resource_spec } }), context, 1);

  it.each([
    [{}, undefined, undefined],
    [{ min_scale: 0, max_scale: 1 }, undefined, undefined],
    [{ min_scale: 2, max_scale: 2 }, undefined, 1],
    [{ min_scale: 2 }, undefined, 1],
    [{ min_scale: 0, max_scale: 3 }, [1, 3], undefined],
    [{ min_scale: 2, max_scale: 3 }, [2, 3], 1],
  ])('of %j are scaled between %j, with %s of them away at most', (given, scale, away) => {
    const { autoscaler, disruptionBudget } = setOf(given);
    const { minReplicas, maxReplicas } = autoscaler?.spec ?? {};
    expect(autoscaler === undefined ? undefined : [minReplicas, maxReplicas]).toEqual(scale);
    expect(disruptionBudget?.spec?.maxUnavailable).toBe(away);
  });

  it('is measured by a share of what they ask for, or of a processor where they ask for none', () => {
    const targetOf = (given: object) =>
      setOf({ max_scale: 3, ...given }).autoscaler?.spec.metrics?.[0]?.containerResource?.target;
    expect(targetOf({ cpu: 0.5 })).toEqual({ type: 'Utilization', averageUtilization: 80 });
    expect(targetOf({})).toEqual({ type: 'AverageValue', averageValue: '800m' });
  });
});

describe('containers and accounts of a deployment’s own', () => {
  const container = (name: string, own: object = {}) => ({ name, image: 'helper.example.com/image', ...own });
  const secured = (name: string, own: object = {}) => ({
    ...container(name, own),
    securityContext: { allowPrivilegeEscalation: false },
  });

  it('stand in their order: init containers, then sidecars that start before the server', () => {
    const pod = podOf({
      resource_spec: {
        init_containers: [container('b'), container('a')],
        sidecars: [container('proxy', { restartPolicy: 'Always' }), container('shipper')],
      },
    });
    expect(pod?.initContainers).toEqual([
      secured('b'),
      secured('a'),
      secured('proxy', { restartPolicy: 'Always' }),
    ]);
    expect(pod?.containers.slice(1)).toEqual([secured('shipper')]);
  });

  it('are as they were given, quantities as text', () => {
    const own = {
      imagePullPolicy: 'Always',
      workingDir: '/work',
      command: ['run'],
      args: ['--fast'],
      env: [
        { name: 'A', value: 'x' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
      envFrom: [{ secretRef: { name: 'shared' }, prefix: 'S_' }],
      volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true, subPath: 'a' }],
      securityContext: { privileged: true },
    };
    const given = container('helper', {
      ...own,
      resources: { limits: { cpu: 2 }, requests: { cpu: '250m' } },
    });
    const pod = podOf({ resource_spec: { sidecars: [given] } });
    const resources = { limits: { cpu: '2' }, requests: { cpu: '250m' } };
    expect(pod?.containers[1]).toEqual(container('helper', { ...own, resources }));
  });

  it('keep the account that is named, and pull with all the secrets there are', () => {
    const resource_spec = {
      service_account_name: 'theirs',
      image_pull_secrets: [{ name: 'a' }, { name: 'b' }],
    };
    const pod = podOf({ resource_spec }, renderContext({ pullSecret: 'ours' }));
    expect(pod).toMatchObject({ serviceAccountName: 'theirs' });
    expect(pod?.automountServiceAccountToken).toBeUndefined();
    expect(pod?.imagePullSecrets).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'ours' }]);
    const onNodes = renderContext({ pullSecret: 'ours', computeConfig: { image_pull: 'node' } });
    expect(podOf({}, onNodes)?.imagePullSecrets).toBeUndefined();
  });

  it('never have our labels', () => {
    const taken = { team: 'search', 'slipway.dev/deployment': 'another', 'app.kubernetes.io/component': 'x' };
    const { deployment } = renderSet(serverSpec({ resource_spec: { labels: taken } }), context, 1);
    for (const labels of [deployment.metadata?.labels, deployment.spec?.template.metadata?.labels])
      expect(labels).toMatchObject({
        team: 'search',
        'slipway.dev/deployment': serverSpec().deployment_id,
        'app.kubernetes.io/component': 'server',
      });
  });
});

describe('core_*', () => {
  const requestsOf = (resource_spec: Record<string, unknown>) => {
    const { deployment, notes } = renderSet(serverSpec({ resource_spec }), context, 1);
    return [deployment.spec?.template.spec?.containers[0]?.resources?.requests, notes];
  };

  it('counts where the main fields say nothing, and is said to be unused where they do', () => {
    expect(requestsOf({ core_cpu: 0.5 })).toEqual([{ cpu: '500m' }, []]);
    expect(requestsOf({ core_cpu: 0.5, memory_mb: 256 })).toEqual([{ cpu: '500m', memory: '256Mi' }, []]);
    const [requests, notes] = requestsOf({ core_cpu: 0.5, cpu: 2, core_memory_mb: 128, memory_mb: 256 });
    expect(requests).toEqual({ cpu: '2', memory: '256Mi' });
    expect(notes).toEqual([
      'core_cpu is not used: cpu says what the API server gets.',
      'core_memory_mb is not used: memory_mb says what the API server gets.',
    ]);
  });
});

describe('the key of a set', () => {
  it('is the same whatever order an object’s keys come in, and another after a restart', () => {
    const keyOf = (labels: object) => setKey(serverSpec({ resource_spec: { labels } }), context);
    expect(keyOf({ a: '1', b: '2' })).toBe(keyOf({ b: '2', a: '1' }));
    const keys = [undefined, 'one', 'two'].map((salt) => setKey(serverSpec(), context, salt));
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{8}$/);
  });

  it('is another for other queue workers, and another way to stop', () => {
    const keys = [
      setKey(serverSpec(), context),
      setKey(serverSpec({ queue: true }), context),
      setKey(serverSpec({ server: 'langgraph' }), context),
      setKey(serverSpec(), renderContext({ graceSeconds: 3600 })),
    ];
    expect(new Set(keys).size).toBe(4);
  });

  it('does not hang on the place, the names or the Secret to pull with', () => {
    const elsewhere = renderContext({ namespace: 'other', listenerId: 'other', pullSecret: 'ours' });
    const other = serverSpec({ deployment_name: 'other', deployment_id: serverSpec().tenant_id });
    expect(setKey(other, elsewhere)).toBe(setKey(serverSpec(), context));
  });
});
