import { describe, expect, it } from 'vitest';
import type { ServerSpec } from '../../../../lib/compute/kubernetes/render/context.ts';
import { problemsOf } from '../../../../lib/compute/kubernetes/render/problems.ts';
import type { KubernetesConfig } from '../../../../lib/contract/kubernetes-config.ts';
import { fieldCases } from '../../../support/kubernetes/field-cases.ts';
import { renderContext, serverSpec } from '../../../support/kubernetes/specs.ts';

const context = renderContext();
const fieldsOf = (own: Partial<ServerSpec>, computeConfig: KubernetesConfig = {}) =>
  problemsOf(serverSpec(own), renderContext({ computeConfig })).map((text) => text.split(': ', 1)[0]);

const container = { name: 'helper', image: 'helper.example.com/image' };
const volumes = [{ name: 'data', emptyDir: {} }];
const mount = { name: 'data', mountPath: '/data' };

describe('what Kubernetes would refuse', () => {
  it('is nothing of a plain deployment', () => {
    expect(problemsOf(serverSpec(), context)).toEqual([]);
  });

  it('is nothing that Kubernetes has a meaning for: no source, no account', () => {
    expect(fieldsOf({ resource_spec: { volumes: [{ name: 'data' }], service_account_name: '' } })).toEqual(
      [],
    );
  });

  it('is told with its field and why', () => {
    const resource_spec = { volumes: [{ name: 'Data', emptyDir: {} }] };
    expect(problemsOf(serverSpec({ resource_spec }), context)).toEqual([
      'resource_spec.volumes[0].name: "Data" is no name here: at most 63 lower-case letters, digits and \'-\', a letter or digit at both ends',
    ]);
  });

  it.each<[string, object]>([
    ['[0]', { volumes: [{ name: 'data', emptyDir: {}, nfs: {} }] }],
    ['[0].name', { volumes: [{ emptyDir: {} }] }],
    ['[1].name', { volumes: [...volumes, ...volumes] }],
    ['', { volumes: 'data' }],
  ])('is resource_spec.volumes%s of %j', (place, given) => {
    expect(fieldsOf({ resource_spec: { ...given } })).toEqual([`resource_spec.volumes${place}`]);
  });

  it.each<[string, object]>([
    ['name', { name: 'other' }],
    ['mountPath', { mountPath: '' }],
    ['subPath', { subPath: '/a' }],
    ['subPathExpr', { subPathExpr: '../a' }],
    ['subPathExpr', { subPath: 'a', subPathExpr: 'b' }],
    ['mountPropagation', { mountPropagation: 'Both' }],
    ['mountPropagation', { mountPropagation: 'Bidirectional' }],
  ])('is the %s of the mount %j', (field, own) => {
    const mounts = [{ ...mount, ...own }];
    expect(fieldsOf({ resource_spec: { volumes, volume_mounts: mounts } })).toEqual([
      `resource_spec.volume_mounts[0].${field}`,
    ]);
    const sidecars = [{ ...container, volumeMounts: mounts }];
    expect(fieldsOf({ resource_spec: { volumes, sidecars } })).toEqual([
      `resource_spec.sidecars[0].volumeMounts[0].${field}`,
    ]);
  });

  it('is a path that two mounts share, but no mount that a privileged container passes on', () => {
    expect(fieldsOf({ resource_spec: { volumes, volume_mounts: [mount, mount] } })).toEqual([
      'resource_spec.volume_mounts[1].mountPath',
    ]);
    const volumeMounts = [{ ...mount, mountPropagation: 'Bidirectional' }];
    const sidecars = [{ ...container, volumeMounts, securityContext: { privileged: true } }];
    expect(fieldsOf({ resource_spec: { volumes, sidecars } })).toEqual([]);
  });

  it.each<[string, object]>([
    ['name', { name: 'Helper' }],
    ['name', { name: 'server' }],
    ['image', { image: ' helper' }],
    ['imagePullPolicy', { imagePullPolicy: 'Sometimes' }],
    ['restartPolicy', { restartPolicy: 'Never' }],
    ['env[0].name', { env: [{ name: 'A=B' }] }],
    ['env[1].name', { env: [{ name: 'A' }, { name: 'A' }] }],
    ['env[0].valueFrom', { env: [{ name: 'A', value: 'x', valueFrom: {} }] }],
    ['resources.limits["cpu"]', { resources: { limits: { cpu: 'much' } } }],
    ['resources.requests["memory"]', { resources: { requests: { memory: '1GB' } } }],
    ['unknown', { unknown: 1 }],
  ])('is the %s of the container %j', (field, own) => {
    for (const list of ['init_containers', 'sidecars'])
      expect(fieldsOf({ resource_spec: { [list]: [{ ...container, ...own }] } })).toEqual([
        `resource_spec.${list}[0].${field}`,
      ]);
  });

  it('is a container with the name of another', () => {
    expect(fieldsOf({ resource_spec: { init_containers: [container], sidecars: [container] } })).toEqual([
      'resource_spec.sidecars[0].name',
    ]);
  });

  it.each([
    ['slipway.dev/anything', 'x'],
    ['app.kubernetes.io/name', 'x'],
    ['app.kubernetes.io/managed-by', 'x'],
    ['app.kubernetes.io/component', 'x'],
    ['not a key', 'x'],
    ['/key', 'x'],
    ['a/b/c', 'x'],
    ['team', 7],
  ])('is the label or annotation %s: %j', (key, value) => {
    for (const field of ['labels', 'annotations'])
      expect(fieldsOf({ resource_spec: { [field]: { [key]: value } } })).toEqual([
        `resource_spec.${field}[${JSON.stringify(key)}]`,
      ]);
  });

  it('is a label’s value that an annotation may have', () => {
    const texts = { 'example.com/team': 'not a label', 'app.kubernetes.io/version': '1.0' };
    expect(fieldsOf({ resource_spec: { labels: texts } })).toEqual([
      'resource_spec.labels["example.com/team"]',
    ]);
    expect(fieldsOf({ resource_spec: { annotations: texts, labels: { empty: '' } } })).toEqual([]);
    expect(fieldsOf({ resource_spec: { annotations: { 'Example.com/Team': 'x' } } })).toEqual([]);
    expect(fieldsOf({ resource_spec: { labels: { 'Example.com/Team': 'x' } } })).toHaveLength(1);
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`a${index}`, 'x'.repeat(2000)]),
    );
    expect(fieldsOf({ resource_spec: { annotations: many } })).toEqual(['resource_spec.annotations']);
  });

  it('is the name of an account or of a Secret', () => {
    const resource_spec = {
      service_account_name: 'Not one',
      image_pull_secrets: [{ name: 'a' }, { name: 'a' }, { name: '_' }],
    };
    expect(fieldsOf({ resource_spec })).toEqual([
      'resource_spec.service_account_name',
      'resource_spec.image_pull_secrets[2].name',
      'resource_spec.image_pull_secrets[1].name',
    ]);
    const secret_references = [
      { name: 'A', secret_name: 'Not one', secret_key: 'a' },
      { name: 'B', secret_name: 'a', secret_key: 'a b' },
      { name: 'C', secret_name: 'a', secret_key: '..' },
      { name: 'D', secret_name: 'a', secret_key: '.a.b' },
    ];
    expect(fieldsOf({ secret_references })).toEqual([
      'secret_references[0].secret_name',
      'secret_references[1].secret_key',
      'secret_references[2].secret_key',
    ]);
  });

  it('is a variable that has no name here, or a second source', () => {
    expect(
      fieldsOf({
        environment: [
          { name: 'odd name: 1/2', value: '' },
          { name: 'clé', value: '' },
          { name: 'TOKEN', value: '' },
        ],
        secret_references: [{ name: 'TOKEN', secret_name: 'a', secret_key: 'a' }],
      }),
    ).toEqual(['secrets[1].name', 'secret_references[0].name']);
  });

  it('never holds the value of a secret', () => {
    const environment = [{ name: 'clé', value: 'the value' }];
    expect(problemsOf(serverSpec({ environment }), context).join()).not.toContain('the value');
  });

  it('is a folder, and a number that is none', () => {
    const artifact = { kind: 'folder', url: 'https://files.example.com/a', sha256: '0' } as const;
    expect(fieldsOf({ artifact, resource_spec: { cpu: 'many' } })).toEqual(['artifact', 'resource_spec.cpu']);
  });
});

describe('a host that no route can have', () => {
  const gateway = { name: 'public' };

  it.each([
    [{ gateway }, 'https://10.0.0.1'],
    [{ gateway }, 'https://[::1]:8443'],
    [{ gateway }, 'https://my_agent.example.com'],
  ])('with %j is refused by custom_url: %s', (config, custom_url) => {
    expect(fieldsOf({ custom_url }, config)).toEqual(['custom_url']);
    expect(fieldsOf({ custom_url })).toEqual([]);
  });

  it('is refused by host_template too', () => {
    const deployment_name = 'a'.repeat(60);
    const config = { gateway, host_template: 'agent-{name}.example.com' };
    expect(fieldsOf({ deployment_name }, config)).toEqual(['compute_config.host_template']);
    expect(fieldsOf({ deployment_name: 'chat' }, config)).toEqual([]);
    expect(fieldsOf({ custom_url: 'https://Agent.Example.com' }, config)).toEqual([]);
  });
});

it.each(fieldCases)('a good $field is not refused', ({ having }) => {
  expect(problemsOf(serverSpec(having), context)).toEqual([]);
});
