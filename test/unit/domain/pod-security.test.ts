import { describe, expect, it } from 'vitest';
import { resourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';
import type { KubernetesConfig } from '../../../lib/contract/kubernetes-config.ts';
import { operatorProblems } from '../../../lib/domain/kubernetes/allowed.ts';
import { podSecurityProblems } from '../../../lib/domain/kubernetes/pod-security.ts';
import { specProblems } from '../../../lib/domain/kubernetes/resource-spec.ts';
import { podSecurityCases } from '../../support/kubernetes/pod-security-cases.ts';

describe('pod_security', () => {
  it.each(podSecurityCases)('$refusedBy refuses $field of $spec', ({ refusedBy, field, spec }) => {
    const fieldsOf = (profile: 'privileged' | 'baseline' | 'restricted') =>
      podSecurityProblems(spec, profile).map((problem) => problem.field);
    const refused = [`resource_spec.${field}`];
    expect(fieldsOf('privileged')).toEqual([]);
    expect(fieldsOf('baseline')).toEqual(refusedBy === 'baseline' ? refused : []);
    if (refusedBy === 'none') expect(fieldsOf('restricted')).toEqual([]);
    else expect(fieldsOf('restricted')).toEqual(refused);
  });

  it('takes null for nothing, as Kubernetes does', () => {
    const securityContext = { runAsNonRoot: null, capabilities: { drop: null }, seccompProfile: null };
    const spec = { sidecars: [{ name: 'side', image: 'i', securityContext }] };
    expect(podSecurityProblems(spec, 'restricted')).toEqual([]);
  });

  it('says the value and what is taken, for each container', () => {
    const root = { name: 'root', image: 'i', securityContext: { privileged: true } };
    const added = { ...root, securityContext: { capabilities: { add: ['KILL', 'NET_ADMIN'] } } };
    expect(podSecurityProblems({ init_containers: [root], sidecars: [added] }, 'restricted')).toEqual([
      {
        field: 'resource_spec.init_containers[0].securityContext.privileged',
        reason: 'true is refused: such a container is root on its node (pod_security restricted)',
      },
      {
        field: 'resource_spec.sidecars[0].securityContext.capabilities.add',
        reason: '"KILL", "NET_ADMIN" is refused: NET_BIND_SERVICE is taken (pod_security restricted)',
      },
    ]);
  });

  it('has nothing to say of the node itself: no deployment can ask for it', () => {
    const sidecar = { name: 'side', image: 'i' };
    for (const spec of [
      { volumes: [{ name: 'node', hostPath: { path: '/' } }] },
      { sidecars: [{ ...sidecar, ports: [{ containerPort: 1, hostPort: 1 }] }] },
      { sidecars: [{ ...sidecar, livenessProbe: { httpGet: { host: 'a', port: 1 } } }] },
    ])
      expect(resourceSpec.safeParse(spec).success).toBe(false);
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers', 'securityContext'])
      expect(resourceSpec.parse({ [field]: true })).toEqual({});
  });
});

it('keys of pod-security.kubernetes.io are refused, and no others but ours', () => {
  const given = {
    'pod-security.kubernetes.io/enforce': 'privileged',
    'pod-security.example.com/enforce': 'x',
    'security.kubernetes.io/mine': 'x',
  };
  const fields = specProblems({ labels: given, annotations: given }).map(({ field }) => field);
  expect(fields).toEqual([
    'resource_spec.labels["pod-security.kubernetes.io/enforce"]',
    'resource_spec.annotations["pod-security.kubernetes.io/enforce"]',
  ]);
});

describe('what the operator allows', () => {
  const volumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'models' } },
    {
      name: 'b',
      projected: { sources: [{ serviceAccountToken: { path: 't' } }, { secret: { name: 'key' } }] },
    },
    { name: 'c' },
  ];
  const refused = (limits: KubernetesConfig, customUrl: string | null = null) =>
    operatorProblems({ volumes, service_account_name: 'agent' }, customUrl, limits).map(({ field }) => field);

  it('is everything where nothing is said', () => {
    expect(refused({}, 'https://any.example.com')).toEqual([]);
  });

  it.each<[string[], string[]]>([
    [['persistentVolumeClaim', 'projected', 'secret', 'emptyDir'], []],
    [['persistentVolumeClaim/models', 'projected', 'secret/key', 'emptyDir'], []],
    [
      ['persistentVolumeClaim/other', 'projected', 'emptyDir'],
      ['volumes[0].persistentVolumeClaim', 'volumes[1].projected.sources[1].secret'],
    ],
    [
      [],
      [
        'volumes[0].persistentVolumeClaim',
        'volumes[1].projected',
        'volumes[1].projected.sources[1].secret',
        'volumes[2].emptyDir',
      ],
    ],
  ])('of volumes %j, and refuses %j', (allowed_volumes, fields) => {
    expect(refused({ allowed_volumes })).toEqual(fields.map((field) => `resource_spec.${field}`));
  });

  it('of ServiceAccounts those that it names, and the one that a deployment has by itself', () => {
    expect(refused({ allowed_service_accounts: ['agent'] })).toEqual([]);
    expect(refused({ allowed_service_accounts: [] })).toEqual(['resource_spec.service_account_name']);
    expect(operatorProblems({ service_account_name: '' }, null, { allowed_service_accounts: [] })).toEqual(
      [],
    );
  });

  it.each([
    ['https://agent.example.com', true],
    ['https://AGENT.example.com:8443/path', true],
    ['https://a.b.agents.example.com', true],
    ['https://agents.example.com', false],
    ['https://evilagents.example.com', false],
    ['https://agent.example.com.evil.test', false],
  ])('of hosts: %s is taken: %s', (url, isTaken) => {
    const allowed_hosts = ['agent.example.com', '*.agents.example.com'];
    expect(refused({ allowed_hosts }, url)).toEqual(isTaken ? [] : ['custom_url']);
    expect(refused({ allowed_hosts: [] }, url)).toEqual(['custom_url']);
  });
});
