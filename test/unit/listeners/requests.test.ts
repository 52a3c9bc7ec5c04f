import { describe, expect, it } from 'vitest';
import { kubernetesConfig } from '../../../lib/contract/kubernetes-config.ts';
import { parsePart } from '../../../lib/contract/validation/parse-part.ts';
import {
  completeRequest,
  deploySpec,
  desiredResponse,
  statusRequest,
} from '../../../lib/features/listener-protocol/shape.ts';
import { changeListenerBody, createListenerBody } from '../../../lib/features/listeners/shape.ts';
import { plainSpec } from '../../support/world/deploy-spec.ts';

const listener = { compute_type: 'k8s', compute_id: 'cluster' };

describe('the body of a new listener', () => {
  it('names each namespace and platform once, and keeps what is the client’s own', () => {
    const compute_config = {
      k8s_namespaces: ['b', 'a', 'b'],
      platforms: ['linux/arm64', 'linux/arm64', 'linux/arm/v7'],
      region: 'eu',
    };
    expect(createListenerBody.parse({ ...listener, compute_config }).compute_config).toEqual({
      k8s_namespaces: ['b', 'a'],
      platforms: ['linux/arm64', 'linux/arm/v7'],
      region: 'eu',
    });
  });

  it('has no namespaces where none are given', () => {
    for (const compute_config of [{}, { k8s_namespaces: null, platforms: null }])
      expect(createListenerBody.parse({ ...listener, compute_config }).compute_config).toEqual({
        k8s_namespaces: [],
      });
  });

  it.each(['amd64', 'windows/amd64', 'linux/amd64; rm', 'linux/arm/v77', 7])(
    'refuses the platform %j',
    (platform) => {
      const body = { ...listener, compute_config: { platforms: [platform] } };
      const { error } = createListenerBody.safeParse(body);
      expect(error?.issues.map(({ path }) => path)).toEqual([['compute_config', 'platforms', 0]]);
    },
  );
});

describe('what a compute_config says of a cluster', () => {
  const issuesOf = (compute_config: object) =>
    createListenerBody
      .safeParse({ ...listener, compute_config })
      .error?.issues.map(({ path }) => path.slice(1).join('.')) ?? [];

  it('is kept as it came', () => {
    const given = {
      gateway: { name: 'public', namespace: 'gateways', section_name: 'https', zone: 'a' },
      host_template: 'https://{name}.agents.example.com',
      tls_secret: 'agents-tls',
      route_annotations: { 'cert-manager.io/cluster-issuer': 'public', Plain_1: '' },
      image_pull: 'node',
      region: 'eu',
      pod_security: 'restricted',
      allowed_volumes: ['emptyDir', 'persistentVolumeClaim/models', 'csi/secrets-store.csi.k8s.io'],
      allowed_service_accounts: [],
      allowed_hosts: ['*.agents.example.com', 'a.example.com'],
      egress: ['10.0.0.0/8', '10.1.0.7/32:5432', 'fd00::/8:443', 'namespace/data', 'namespace/data:6379'],
    };
    expect(createListenerBody.parse({ ...listener, compute_config: given }).compute_config).toEqual({
      k8s_namespaces: [],
      ...given,
    });
    expect(
      issuesOf({ ingress_class: 'nginx', gateway: null, host_template: '{name}-x.example.com' }),
    ).toEqual([]);
  });

  it.each([
    [{ gateway: 'public' }, 'gateway'],
    [{ gateway: { namespace: 'gateways' } }, 'gateway.name'],
    [{ gateway: { name: 'public', namespace: 'Not one' } }, 'gateway.namespace'],
    [{ gateway: { name: 'public', namespace: 'a.b' } }, 'gateway.namespace'],
    [{ gateway: { name: 'public', section_name: 7 } }, 'gateway.section_name'],
    [{ ingress_class: 'Nginx' }, 'ingress_class'],
    [{ gateway: { name: 'public' }, ingress_class: 'nginx' }, 'ingress_class'],
    [{ host_template: 'agents.example.com' }, 'host_template'],
    [{ host_template: '{name}.{name}.example.com' }, 'host_template'],
    [{ host_template: '{name}.example.com/path' }, 'host_template'],
    [{ host_template: 'ftp://{name}.example.com' }, 'host_template'],
    [{ tls_secret: '' }, 'tls_secret'],
    [{ route_annotations: { 'example.com/on': true } }, 'route_annotations.example.com/on'],
    [{ route_annotations: { 'example.com/': 'x' } }, 'route_annotations.example.com/'],
    [{ route_annotations: { '-x': 'x' } }, 'route_annotations.-x'],
    [{ route_annotations: { ['x'.repeat(64)]: 'x' } }, `route_annotations.${'x'.repeat(64)}`],
    [{ route_annotations: { 'slipway.dev/rendered': 'x' } }, 'route_annotations.slipway.dev/rendered'],
    [{ route_annotations: ['x'] }, 'route_annotations'],
    [{ image_pull: 'never' }, 'image_pull'],
    [{ pod_security: 'strict' }, 'pod_security'],
    [{ allowed_volumes: ['hostPath'] }, 'allowed_volumes.0'],
    [{ allowed_volumes: ['secret', 'emptyDir/a'] }, 'allowed_volumes.1'],
    [{ allowed_service_accounts: 'agent' }, 'allowed_service_accounts'],
    [{ allowed_hosts: ['*'] }, 'allowed_hosts.0'],
    [{ allowed_hosts: ['https://a.example.com'] }, 'allowed_hosts.0'],
    [{ egress: ['10.0.0.1'] }, 'egress.0'],
    [{ egress: ['10.0.0.0/33'] }, 'egress.0'],
    [{ egress: ['10.0.0.0/8:0'] }, 'egress.0'],
    [{ egress: ['10.0.0.0/8:70000'] }, 'egress.0'],
    [{ egress: ['namespace/a_b'] }, 'egress.0'],
    [{ egress: ['db.example.com:5432'] }, 'egress.0'],
  ])('refuses %j by its field', (compute_config, field) => {
    expect(issuesOf(compute_config)).toEqual([field]);
  });

  it('is read without what was stored before it had a meaning', () => {
    const stored = {
      gateway: 'ours',
      ingress_class: 'nginx',
      tls_secret: null,
      image_pull: 'node',
      region: 1,
      pod_security: 'ours',
      allowed_hosts: 'a.example.com',
    };
    expect(kubernetesConfig.parse(stored)).toEqual({ ingress_class: 'nginx', image_pull: 'node' });
    const gateway = { name: 'public', namespace: null, zone: 'a' };
    expect(kubernetesConfig.parse({ gateway })).toEqual({ gateway: { name: 'public' } });
  });
});

describe('the body of a change of a listener', () => {
  it('holds what is to be changed alone: namespaces that are not given stay away', () => {
    const body = { id: 'x', status: 'ONLINE', version: null, compute_config: { region: 'eu' } };
    expect(changeListenerBody.parse(body)).toEqual({ compute_config: { region: 'eu' } });
    expect(changeListenerBody.parse({})).toEqual({});
  });

  it('is judged as that of a new one', () => {
    const body = { compute_config: { k8s_namespaces: ['Not good'] }, is_default: 'yes' };
    const { error } = changeListenerBody.safeParse(body);
    expect(error?.issues.map(({ path }) => path)).toEqual([
      ['compute_config', 'k8s_namespaces', 0],
      ['is_default'],
    ]);
  });

  it('has one of a gateway and an ingress_class, and names the other as wrong', () => {
    const given = { gateway: { name: 'public' }, ingress_class: 'nginx' };
    const { items } = parsePart('body', changeListenerBody, { compute_config: given });
    expect(items).toEqual([
      {
        loc: ['body', 'compute_config', 'ingress_class'],
        type: 'value_error',
        msg: 'Value error, give gateway or ingress_class, not both',
        input: 'nginx',
      },
    ]);
    const cleared = { ...given, gateway: null };
    expect(parsePart('body', changeListenerBody, { compute_config: cleared }).items).toBeUndefined();
  });
});

describe('what a listener reads', () => {
  const id = '0190a000-0000-7000-8000-000000000001';
  const artifact = { kind: 'image', uri: 'registry.example/app@sha256:1' } as const;
  const own = { deployment_id: id, deployment_name: 'a', tenant_id: id, revision_id: id, artifact };

  it('may come from an older control plane', () => {
    const spec = plainSpec(own);
    expect(deploySpec.parse(spec)).toEqual(spec);
    const desired = { version: '1', complete: true, deployments: [] };
    expect(desiredResponse.parse(desired)).toEqual(desired);
  });

  it.each([{ server: 'java' }, { queue: 'yes' }, { drain_seconds: '60' }])('is not %j', (wrong) => {
    expect(deploySpec.safeParse({ ...plainSpec(own), ...wrong }).success).toBe(false);
  });
});

describe('the address of an agent that a listener reports', () => {
  const id = '0190a000-0000-7000-8000-000000000001';
  const problemsOf = (url: unknown) => {
    const report = { deployment_id: id, epoch: 1, revision_id: id, healthy: true, url };
    const complete = completeRequest.safeParse({ lease_id: id, outcome: 'succeeded', url });
    const status = statusRequest.safeParse({ reports: [report] });
    return [complete, status].flatMap(({ error }) => error?.issues.map(({ path }) => path.join('.')) ?? []);
  };

  it.each([
    'http://localhost:4401/d/a',
    'https://agents.example/a',
    'HTTPS://agents.example',
    null,
    undefined,
  ])('may be %s', (url) => expect(problemsOf(url)).toEqual([]));

  it.each([
    'javascript:alert(1)//https://a.example',
    'data:text/html,x',
    'ftp://a.example',
    'a.example',
    '//a.example',
    ' https://a.example',
    'https://a.example\n',
    'https://',
    '',
  ])('is not %j', (url) => expect(problemsOf(url)).toEqual(['url', 'reports.0.url']));
});
