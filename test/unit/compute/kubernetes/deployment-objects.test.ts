import { describe, expect, it } from 'vitest';
import {
  addressOf,
  renderNetworkPolicy,
  renderPostgres,
  renderRedis,
  renderRoute,
  renderService,
  renderServiceAccount,
} from '../../../../lib/compute/kubernetes/render/deployment-objects.ts';
import { labels, MANAGED_BY } from '../../../../lib/compute/kubernetes/render/names.ts';
import { trafficTo } from '../../../../lib/compute/kubernetes/render/service.ts';
import { wireOf } from '../../../../lib/compute/kubernetes/render/wire.ts';
import type { KubernetesConfig } from '../../../../lib/contract/kubernetes-config.ts';
import { allObjects, PASSWORD } from '../../../support/kubernetes/all-objects.ts';
import { renderContext, serverSpec } from '../../../support/kubernetes/specs.ts';

const context = renderContext();
const gateway = { name: 'public', namespace: 'gateways', section_name: 'https' };
const at = (computeConfig: KubernetesConfig) => renderContext({ computeConfig });
const textOf = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString();

describe('the Service of a deployment', () => {
  it('is there whichever set serves, and does not say which', () => {
    const { metadata, spec } = renderService(serverSpec({ epoch: 4 }), context);
    expect(metadata?.name).toBe('my-agent-deadbeef');
    expect(metadata?.labels).not.toHaveProperty('slipway.dev/set');
    expect(spec).toEqual({ type: 'ClusterIP', ports: [{ name: 'http', port: 80, targetPort: 8000 }] });
  });

  it('is sent to the servers of one set', () => {
    expect(trafficTo(serverSpec().deployment_id, '0123abcd')).toEqual({
      'slipway.dev/deployment': serverSpec().deployment_id,
      'slipway.dev/set': '0123abcd',
      'app.kubernetes.io/component': 'server',
    });
  });
});

describe('the route to a deployment', () => {
  const custom_url = 'https://agent.example.com:8443/chat';

  it('is an HTTPRoute at a gateway', () => {
    expect(renderRoute(serverSpec({ custom_url }), at({ gateway }))).toMatchObject({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'my-agent-deadbeef', namespace: 'agents' },
      spec: {
        parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
        hostnames: ['agent.example.com'],
        rules: [
          {
            backendRefs: [{ name: 'my-agent-deadbeef', port: 80 }],
            timeouts: { request: '0s', backendRequest: '0s' },
          },
        ],
      },
    });
  });

  it('is an Ingress of a class, with its certificate', () => {
    const route_annotations = { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' };
    const hosts = { host_template: '{name}.example.com', tls_secret: 'tls' };
    const config = { ingress_class: 'nginx', ...hosts, route_annotations };
    expect(renderRoute(serverSpec({ deployment_name: 'chat' }), at(config))).toMatchObject({
      metadata: { annotations: route_annotations },
      kind: 'Ingress',
      spec: {
        ingressClassName: 'nginx',
        rules: [
          {
            host: 'chat.example.com',
            http: { paths: [{ path: '/', backend: { service: { port: { number: 80 } } } }] },
          },
        ],
        tls: [{ hosts: ['chat.example.com'], secretName: 'tls' }],
      },
    });
  });

  it.each<[KubernetesConfig, string | null]>([
    [{}, custom_url],
    [{ host_template: '{name}.example.com' }, custom_url],
    [{ gateway }, null],
  ])('is none with %j and the address %s', (config, given) => {
    const spec = serverSpec({ custom_url: given });
    expect(renderRoute(spec, at(config))).toBeUndefined();
    expect(addressOf(spec, at(config))).toBe('http://my-agent-deadbeef.agents.svc.cluster.local');
  });

  it.each<[KubernetesConfig, string, string | null, string]>([
    [{ gateway }, 'chat', custom_url, custom_url],
    [{ gateway, host_template: '{name}.example.com' }, 'chat', null, 'http://chat.example.com'],
    [{ gateway, host_template: 'https://{name}.example.com' }, 'chat', null, 'https://chat.example.com'],
    [{ gateway, host_template: '{name}.example.com' }, 'a_b', null, 'http://a-b-deadbeef.example.com'],
    [
      { ingress_class: 'nginx', host_template: '{name}.example.com', tls_secret: 'tls' },
      'chat',
      null,
      'https://chat.example.com',
    ],
  ])('with %j gives %s with the address %s: %s', (config, deployment_name, given, address) => {
    expect(addressOf(serverSpec({ deployment_name, custom_url: given }), at(config))).toBe(address);
  });
});

describe('what only a deployment’s own pods reach', () => {
  it('is everything but port 8000', () => {
    const policy = renderNetworkPolicy(serverSpec(), context);
    const ownPods = { matchLabels: { 'slipway.dev/deployment': serverSpec().deployment_id } };
    expect(wireOf(policy)).toMatchObject({
      spec: {
        podSelector: ownPods,
        policyTypes: ['Ingress'],
        ingress: [{ ports: [{ protocol: 'TCP', port: 8000 }] }, { from: [{ podSelector: ownPods }] }],
      },
    });
    expect(JSON.stringify(wireOf(policy))).not.toContain('_from');
  });
});

describe('the ServiceAccount', () => {
  it('is ours, without a token, unless the deployment names one', () => {
    expect(renderServiceAccount(serverSpec(), context)).toMatchObject({
      metadata: { name: 'my-agent-deadbeef' },
      automountServiceAccountToken: false,
    });
    const empty = { service_account_name: '' };
    expect(renderServiceAccount(serverSpec({ resource_spec: empty }), context)).toBeDefined();
    const resource_spec = { service_account_name: 'theirs' };
    expect(renderServiceAccount(serverSpec({ resource_spec }), context)).toBeUndefined();
  });
});

describe('our own stores', () => {
  const resource_spec = {
    redis_memory_mb: 256,
    redis_memory_limit_mb: 256,
    db_cpu: 0.5,
    db_cpu_limit: 1,
    db_storage_gi: 2.5,
    db_max_connections: 200,
  };
  const spec = serverSpec({ server: 'langgraph', resource_spec });

  it('are a Redis with the password in its Secret alone', () => {
    const redis = renderRedis(spec, context, PASSWORD);
    expect(textOf(redis?.secret.data?.uri)).toBe(
      'redis://:a%20password%2Fof%20ours@my-agent-deadbeef-redis.agents.svc:6379/0',
    );
    expect(textOf(redis?.secret.data?.password)).toBe(PASSWORD);
    expect(redis?.deployment.spec?.template.spec?.containers[0]).toMatchObject({
      resources: { requests: { memory: '256Mi' }, limits: { memory: '256Mi' } },
    });
    expect(redis?.service.spec).toMatchObject({
      selector: redis?.deployment.spec?.selector.matchLabels,
      ports: [{ port: 6379 }],
    });
  });

  it('are a Postgres with a volume that stays', () => {
    const postgres = renderPostgres(spec, context, PASSWORD);
    expect(textOf(postgres?.secret.data?.uri)).toBe(
      'postgres://postgres:a%20password%2Fof%20ours@my-agent-deadbeef-db.agents.svc:5432/postgres?sslmode=disable',
    );
    expect(postgres?.statefulSet.spec).toMatchObject({
      serviceName: postgres?.service.metadata?.name,
      template: {
        spec: {
          containers: [
            {
              args: ['-c', 'max_connections=200'],
              resources: { requests: { cpu: '500m' }, limits: { cpu: '1' } },
            },
          ],
        },
      },
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2560Mi' } } } }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    expect(postgres?.service.spec?.selector).toEqual(postgres?.statefulSet.spec?.selector.matchLabels);
  });

  it('are nothing to a server that is no langgraph.json one', () => {
    expect(renderRedis(serverSpec(), context, PASSWORD)).toBeUndefined();
    expect(renderPostgres(serverSpec(), context, PASSWORD)).toBeUndefined();
  });
});

it('every object says whose it is, and where', () => {
  const resource_spec = { min_scale: 2, max_scale: 3, queue_min_scale: 2, queue_max_scale: 3 };
  const spec = serverSpec({ server: 'langgraph', queue: true, resource_spec });
  const host_template = '{name}.example.com';
  const objects = allObjects(spec, at({ gateway, host_template }));
  expect(objects.size).toBe(18);
  for (const { apiVersion, kind, metadata } of objects.values()) {
    expect([apiVersion, kind]).not.toContain(undefined);
    expect(metadata?.namespace).toBe('agents');
    expect(metadata?.labels).toMatchObject({
      [labels.managedBy]: MANAGED_BY,
      [labels.name]: spec.deployment_name,
      [labels.listener]: context.listenerId,
      [labels.tenant]: spec.tenant_id,
      [labels.deployment]: spec.deployment_id,
    });
  }
});
