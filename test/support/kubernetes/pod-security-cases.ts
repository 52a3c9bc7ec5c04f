import type { ResourceSpec } from '../../../lib/contract/deployments/resource-spec.ts';

/**
 * What deployments may ask for, and where it is refused: by `baseline` and `restricted`, by `restricted`
 * alone, or nowhere. The API server of the test cluster says the same of each.
 */
export type PodSecurityCase = {
  refusedBy: 'baseline' | 'restricted' | 'none';
  /** Of the `resource_spec`, or of a container's securityContext. */
  field: string;
  spec: ResourceSpec;
};

type SecurityContext = Record<string, unknown>;
type RefusedBy = PodSecurityCase['refusedBy'];

const of = (refusedBy: RefusedBy, field: string, ...given: SecurityContext[]): PodSecurityCase[] =>
  given.map((securityContext) => ({
    refusedBy,
    field: `sidecars[0].securityContext.${field}`,
    spec: { sidecars: [{ name: 'side', image: 'example.test/side:1', securityContext }] },
  }));

const local = { type: 'Localhost', localhostProfile: 'own' };
const capabilities = (add: string[], drop?: string[]) => ({
  capabilities: { add, ...(drop !== undefined && { drop }) },
});
const selinux = (seLinuxOptions: object) => ({ seLinuxOptions });

const contexts: PodSecurityCase[] = [
  ...of('none', '', {}, { readOnlyRootFilesystem: true }, { runAsUser: 1000, runAsGroup: 0 }),
  ...of('none', 'privileged', { privileged: false }),
  ...of('baseline', 'privileged', { privileged: true }),
  ...of('none', 'allowPrivilegeEscalation', { allowPrivilegeEscalation: false }),
  ...of('restricted', 'allowPrivilegeEscalation', { allowPrivilegeEscalation: true }),
  ...of('none', 'runAsNonRoot', { runAsNonRoot: true }),
  ...of('restricted', 'runAsNonRoot', { runAsNonRoot: false }),
  ...of('restricted', 'runAsUser', { runAsUser: 0 }),
  ...of('none', 'capabilities.add', capabilities([]), capabilities(['NET_BIND_SERVICE'], ['ALL'])),
  ...of(
    'restricted',
    'capabilities.add',
    capabilities(['CHOWN']),
    capabilities(['MKNOD', 'SETUID'], ['ALL']),
  ),
  ...of(
    'baseline',
    'capabilities.add',
    capabilities(['NET_RAW']),
    capabilities(['ALL']),
    capabilities(['CAP_CHOWN']),
    capabilities(['CHOWN', 'SYS_PTRACE'], ['ALL']),
  ),
  ...of('none', 'capabilities.drop', { capabilities: { drop: ['NET_RAW', 'ALL'] } }),
  ...of(
    'restricted',
    'capabilities.drop',
    { capabilities: { drop: [] } },
    { capabilities: { drop: ['NET_RAW'] } },
    { capabilities: { drop: ['all'] } },
  ),
  ...of('none', 'seLinuxOptions.type', selinux({ level: 's0:c1' }), selinux({ type: 'container_t' })),
  ...of('none', 'seLinuxOptions.type', selinux({ type: '' }), selinux({ type: 'container_engine_t' })),
  ...of('baseline', 'seLinuxOptions.type', selinux({ type: 'spc_t' })),
  ...of('none', 'seLinuxOptions.user', selinux({ user: '', role: '' })),
  ...of('baseline', 'seLinuxOptions.user', selinux({ user: 'system_u' })),
  ...of('baseline', 'seLinuxOptions.role', selinux({ role: 'system_r' })),
  ...of('none', 'procMount', { procMount: 'Default' }),
  ...of('none', 'seccompProfile', { seccompProfile: { type: 'RuntimeDefault' } }, { seccompProfile: local }),
  ...of('baseline', 'seccompProfile', { seccompProfile: { type: 'Unconfined' } }),
  ...of(
    'none',
    'appArmorProfile',
    { appArmorProfile: { type: 'RuntimeDefault' } },
    { appArmorProfile: local },
  ),
  ...of('baseline', 'appArmorProfile', { appArmorProfile: { type: 'Unconfined' } }),
  ...of('none', 'windowsOptions.hostProcess', { windowsOptions: { runAsUserName: 'agent' } }),
];

const volume = (refusedBy: RefusedBy, type: string, source: object): PodSecurityCase => ({
  refusedBy,
  field: `volumes[0].${type}`,
  spec: { volumes: [{ name: 'data', [type]: source }] },
});

const volumes: PodSecurityCase[] = [
  { refusedBy: 'none', field: '', spec: { volumes: [{ name: 'data' }] } },
  volume('none', 'emptyDir', {}),
  volume('none', 'configMap', { name: 'own' }),
  volume('none', 'secret', { secretName: 'own' }),
  volume('none', 'persistentVolumeClaim', { claimName: 'own' }),
  volume('none', 'projected', { sources: [{ secret: { name: 'own' } }] }),
  volume('none', 'downwardAPI', { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] }),
  volume('none', 'csi', { driver: 'example.com' }),
  volume('restricted', 'nfs', { server: 'files.example.com', path: '/' }),
];

const annotation = (refusedBy: RefusedBy, key: string, value: string): PodSecurityCase => ({
  refusedBy,
  field: `annotations[${JSON.stringify(key)}]`,
  spec: { annotations: { [key]: value } },
});

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/server';
const annotations: PodSecurityCase[] = [
  annotation('none', 'example.com/team', 'unconfined'),
  annotation('none', APP_ARMOR, 'runtime/default'),
  annotation('none', APP_ARMOR, 'localhost/own'),
  annotation('baseline', APP_ARMOR, 'unconfined'),
];

export const podSecurityCases: PodSecurityCase[] = [...contexts, ...volumes, ...annotations];

/** Containers' securityContexts of the cases, to be mixed. */
export const securityContexts: SecurityContext[] = contexts.flatMap(
  ({ spec }) => spec.sidecars?.map(({ securityContext }) => securityContext ?? {}) ?? [],
);
