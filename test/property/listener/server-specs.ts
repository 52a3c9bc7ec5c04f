import fc from 'fast-check';
import type { RenderContext, ServerSpec } from '../../../lib/compute/kubernetes/render/context.ts';
import { type ResourceSpec, resourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';
import { resolveResourceSpec } from '../../../lib/domain/resource-spec.ts';
import { renderContext, serverSpec } from '../../support/kubernetes/specs.ts';
import { goodSpec } from '../contract/resource-specs.ts';

const some = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 3 });
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const free = fc.dictionary(fc.string(), fc.oneof(scalar, some(scalar)), { maxKeys: 3 });
const texts = some(fc.string());

const mount = fc.record(
  {
    name: fc.string(),
    mountPath: fc.string(),
    subPath: fc.string(),
    mountPropagation: fc.string(),
    subPathExpr: fc.string(),
    readOnly: fc.boolean(),
  },
  { requiredKeys: [] },
);

const volume = fc.record(
  {
    name: fc.string(),
    configMap: free,
    secret: free,
    emptyDir: free,
    persistentVolumeClaim: free,
    nfs: free,
    projected: free,
    downwardAPI: free,
    csi: free,
  },
  { requiredKeys: ['name'] },
);

const container = fc.record(
  {
    name: fc.string({ minLength: 1 }),
    image: fc.string({ minLength: 1 }),
    imagePullPolicy: fc.string(),
    workingDir: fc.string(),
    restartPolicy: fc.string(),
    command: texts,
    args: texts,
    env: some(
      fc.record(
        { name: fc.string({ minLength: 1 }), value: fc.string(), valueFrom: free },
        { requiredKeys: ['name'] },
      ),
    ),
    envFrom: some(free),
    resources: fc.record({ limits: free, requests: free }, { requiredKeys: [] }),
    volumeMounts: some(mount),
    securityContext: free,
  },
  { requiredKeys: ['name', 'image'] },
);

const stores = fc.record(
  { db_storage_gi: fc.double({ min: 1, max: 4096, noNaN: true }), db_max_connections: fc.nat(1000) },
  { requiredKeys: [] },
);

const objects = fc.record(
  {
    labels: free,
    annotations: free,
    service_account_name: fc.string(),
    image_pull_secrets: some(fc.record({ name: fc.string({ minLength: 1 }) })),
    volumes: some(volume),
    volume_mounts: some(mount),
    init_containers: some(container),
    sidecars: some(container),
  },
  { requiredKeys: [] },
);

/** Any resource_spec that the control plane takes, as it hands it to a listener. */
export const anyResources: fc.Arbitrary<ResourceSpec> = fc
  .tuple(goodSpec, stores, objects)
  .map((parts) => Object.assign({}, ...parts) as object)
  .filter((given) => resourceSpec.safeParse(given).success)
  .map((given) => resourceSpec.parse(resolveResourceSpec({ ...given })));

const secretName = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom('PORT', 'HOST', 'POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM'),
);

export const anySpec: fc.Arbitrary<ServerSpec> = fc
  .record({
    resource_spec: anyResources,
    environment: some(fc.record({ name: secretName, value: fc.string() })),
    secret_references: some(
      fc.record({ name: secretName, secret_name: fc.string(), secret_key: fc.string() }),
    ),
    custom_url: fc.option(fc.webUrl()),
    deployment_name: fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/),
    server: fc.constantFrom('langgraph', 'other', undefined),
    queue: fc.constantFrom(true, false, undefined),
  })
  .map(({ resource_spec, ...own }) => serverSpec({ ...own, resource_spec: { ...resource_spec } }));

export const anyContext: fc.Arbitrary<RenderContext> = fc
  .record(
    {
      computeConfig: fc.constantFrom(
        {},
        { gateway: { name: 'public' }, host_template: '{name}.example.com' },
        { ingress_class: 'nginx', tls_secret: 'tls' },
        { image_pull: 'node' as const },
      ),
      graceSeconds: fc.nat(3600),
      pullSecret: fc.constant('ours'),
    },
    { requiredKeys: ['computeConfig', 'graceSeconds'] },
  )
  .map(renderContext);
