import type { ServerSpec } from '../../../lib/compute/kubernetes/render/context.ts';

/**
 * A field of a specification, and two specs that differ in it alone. `shown`: which places are its own where
 * the field makes a whole object or element.
 */
export type FieldCase = {
  field: string;
  without: Partial<ServerSpec>;
  having: Partial<ServerSpec>;
  shown?: RegExp;
};

type Json = Record<string, unknown>;

const langgraph = { server: 'langgraph', queue: true } as const;

function ofSpec(field: string, resources: Json, beside: Json = {}): FieldCase {
  return {
    field: `resource_spec.${field}`,
    without: { ...langgraph, resource_spec: beside },
    having: { ...langgraph, resource_spec: { ...beside, ...resources } },
  };
}

/** Each field with a value that nothing else has. */
const plain = (fields: Json, beside: Json = {}): FieldCase[] =>
  Object.entries(fields).map(([field, value]) => ofSpec(field, { [field]: value }, beside));

/** One more field in the only element of a list. */
const inList = (list: string, element: Json, fields: Json, beside: Json = {}): FieldCase[] =>
  Object.entries(fields).map(([field, value]) => ({
    ...ofSpec(`${list}[].${field}`, { [list]: [{ ...element, [field]: value }] }, beside),
    without: { ...langgraph, resource_spec: { ...beside, [list]: [element] } },
    shown: new RegExp(`\\.${field}\\b`),
  }));

/** The first element of a list, which its name makes. */
const named = (list: string, element: Json, beside: Json = {}): FieldCase => ({
  ...ofSpec(`${list}[].name`, { [list]: [element] }, beside),
  shown: /\]\.name$/,
});

const scales = (group: '' | 'queue_'): FieldCase[] => [
  {
    ...ofSpec(`${group}min_scale`, { [`${group}min_scale`]: 3 }, { [`${group}max_scale`]: 9 }),
    shown: /replicas|minReplicas|maxUnavailable/,
  },
  { ...ofSpec(`${group}max_scale`, { [`${group}max_scale`]: 9 }), shown: /maxReplicas/ },
];

const given = (field: string, having: Partial<ServerSpec>): FieldCase => ({
  field,
  without: langgraph,
  having: { ...langgraph, ...having },
});

const sources = Object.fromEntries(
  ['configMap', 'secret', 'emptyDir', 'persistentVolumeClaim', 'nfs', 'projected', 'downwardAPI', 'csi'].map(
    (source) => [source, { marker: source }],
  ),
);

const volumes = [{ name: 'data', emptyDir: {} }];
const mount = { name: 'data', mountPath: '/data' };

const mountFields = {
  mountPath: '/other',
  subPath: 'inside',
  mountPropagation: 'HostToContainer',
  subPathExpr: '$(NAME)',
  readOnly: true,
};

const containerFields = {
  image: 'other.example.com/image',
  imagePullPolicy: 'Always',
  workingDir: '/work',
  restartPolicy: 'Always',
  command: ['run'],
  args: ['--fast'],
  env: [
    { name: 'TEXT', value: 'text' },
    { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  envFrom: [{ configMapRef: { name: 'shared' } }],
  resources: { limits: { cpu: '1' }, requests: { cpu: '250m' } },
  volumeMounts: [mount],
  securityContext: { runAsUser: 1234 },
};

const container = { name: 'helper', image: 'helper.example.com/image' };

/** Every field of the specification that has a place in the cluster. */
export const fieldCases: FieldCase[] = [
  given('source_revision_config.image_uri', { artifact: { kind: 'image', uri: 'other.example.com/agent' } }),
  given('secrets[].name', { environment: [{ name: 'MODEL_KEY', value: '' }] }),
  {
    field: 'secrets[].value',
    without: { ...langgraph, environment: [{ name: 'MODEL_KEY', value: '' }] },
    having: { ...langgraph, environment: [{ name: 'MODEL_KEY', value: 'marker' }] },
  },
  given('secret_references[]', {
    secret_references: [{ name: 'TOKEN', secret_name: 'theirs', secret_key: 'token' }],
  }),
  {
    ...given('source_config.custom_url', { custom_url: 'https://agent.example.com' }),
    shown: /hostnames/,
  },
  ...plain({ cpu: 0.25, cpu_limit: 0.5, memory_mb: 256, memory_limit_mb: 512 }),
  ...scales(''),
  ...plain({ queue_cpu: 0.25, queue_cpu_limit: 0.5, queue_memory_mb: 256, queue_memory_limit_mb: 512 }),
  ...scales('queue_'),
  ...plain({ core_cpu: 0.25, core_cpu_limit: 0.5, core_memory_mb: 256, core_memory_limit_mb: 512 }),
  ...plain({ redis_cpu: 0.25, redis_cpu_limit: 0.5, redis_memory_mb: 256, redis_memory_limit_mb: 512 }),
  ...plain({ db_cpu: 0.25, db_cpu_limit: 0.5, db_memory_mb: 256, db_memory_limit_mb: 512 }),
  ...plain({ db_storage_gi: 1.5, db_max_connections: 321 }),
  ...plain({ labels: { team: 'search' }, annotations: { note: 'any text' } }),
  ...plain({ service_account_name: 'theirs', image_pull_secrets: [{ name: 'theirs' }] }),
  named('volumes', { name: 'data', emptyDir: {} }),
  ...inList('volumes', { name: 'data' }, sources),
  named('volume_mounts', mount, { volumes }),
  ...inList('volume_mounts', mount, mountFields, { volumes }),
  ...['init_containers', 'sidecars'].flatMap((list) => [
    named(list, container),
    ...inList(list, container, containerFields, { volumes }),
  ]),
];
