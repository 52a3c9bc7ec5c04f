import type { ResourceSpec } from '../../contract/deployments/resource-spec.ts';
import type { PodSecurity } from '../../contract/pod-security.ts';
import { type Problem, problem } from './problem.ts';

/**
 * What Kubernetes' Pod Security Standards refuse of a `resource_spec`, as of 1.36
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards). A deployment has no say in anything
 * else that they look at: host namespaces, host ports, sysctls, `hostPath`, probes.
 */

type Container = NonNullable<ResourceSpec['sidecars']>[number];
type Volume = NonNullable<ResourceSpec['volumes']>[number];

/** Why a value is refused, and what is taken instead; undefined: it is taken. */
type Verdict = string | undefined;
type Rule = { field: string; verdict: (value: unknown) => Verdict };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const quoted = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Refuses one value of a field. */
const not =
  (refused: unknown, instead: string) =>
  (value: unknown): Verdict =>
    value === refused ? `${quoted(value)} is refused: ${instead}` : undefined;

/** Refuses all values of a field but these. */
const only =
  (allowed: readonly string[], { orAbsent }: { orAbsent: boolean }) =>
  (value: unknown): Verdict => {
    if (!isGiven(value) && orAbsent) return undefined;
    return typeof value === 'string' && allowed.includes(value)
      ? undefined
      : `${quoted(value)} is refused: ${allowed.filter((one) => one !== '').join(' or ')} is taken`;
  };

/** Refuses a list with values but these. */
const eachOnly =
  (allowed: readonly string[]) =>
  (value: unknown): Verdict => {
    const found = (Array.isArray(value) ? value : []).filter((one) => !allowed.includes(String(one)));
    return found.length === 0
      ? undefined
      : `${found.map(quoted).join(', ')} is refused: ${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'} taken`;
  };

/** A profile that is given has one of these types. */
const profileRule = (field: string): Rule => ({
  field,
  verdict: (value) =>
    isGiven(value)
      ? only(['RuntimeDefault', 'Localhost'], { orAbsent: false })(at(value, 'type'))
      : undefined,
});

const empty = only([''], { orAbsent: true });
const leftOut = (value: unknown): Verdict =>
  empty(value) === undefined ? undefined : `${quoted(value)} is refused: leave it out`;

/** What a container runtime gives by default. */
const CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];

/** Of a container's `securityContext`. */
const baseline: readonly Rule[] = [
  { field: 'privileged', verdict: not(true, 'such a container is root on its node') },
  { field: 'capabilities.add', verdict: eachOnly(CAPABILITIES) },
  { field: 'seLinuxOptions.type', verdict: only(SELINUX_TYPES, { orAbsent: true }) },
  { field: 'seLinuxOptions.user', verdict: leftOut },
  { field: 'seLinuxOptions.role', verdict: leftOut },
  { field: 'procMount', verdict: only(['Default'], { orAbsent: true }) },
  profileRule('seccompProfile'),
  profileRule('appArmorProfile'),
  { field: 'windowsOptions.hostProcess', verdict: not(true, 'such a container runs on its node itself') },
];

/** What says nothing here gets what the profile wants: see `restrictedSecurity`. */
const restricted: readonly Rule[] = [
  ...baseline.filter(({ field }) => field !== 'capabilities.add'),
  { field: 'capabilities.add', verdict: eachOnly(['NET_BIND_SERVICE']) },
  {
    field: 'capabilities.drop',
    verdict: (value) =>
      isGiven(value) && !(Array.isArray(value) && value.includes('ALL'))
        ? `${quoted(value)} is refused: it contains "ALL", or is left out`
        : undefined,
  },
  { field: 'allowPrivilegeEscalation', verdict: not(true, 'give false, or leave it out') },
  { field: 'runAsNonRoot', verdict: not(false, 'give true, or leave it out') },
  { field: 'runAsUser', verdict: not(0, 'give the number of a user who is not root, or leave it out') },
];

const RESTRICTED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** The kind of a volume; Kubernetes takes one without a source for an empty folder. */
export const volumeType = (volume: Volume): string =>
  Object.keys(volume).find((field) => field !== 'name') ?? 'emptyDir';

const volumesProblems = (volumes: readonly Volume[]): Problem[] =>
  volumes.flatMap((volume, index) =>
    problem(
      `resource_spec.volumes[${index}].${volumeType(volume)}`,
      RESTRICTED_VOLUMES.includes(volumeType(volume))
        ? undefined
        : `such a volume is refused: ${RESTRICTED_VOLUMES.join(', ')} are taken`,
    ),
  );

const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

const isAppArmorAllowed = (profile: string): boolean =>
  profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');

const annotationsProblems = (annotations: Record<string, unknown>): Problem[] =>
  Object.entries(annotations).flatMap(([key, value]) =>
    problem(
      `resource_spec.annotations[${JSON.stringify(key)}]`,
      key.startsWith(APP_ARMOR_PREFIX) && !isAppArmorAllowed(String(value))
        ? `${quoted(value)} is refused: runtime/default or localhost/… is taken`
        : undefined,
    ),
  );

const containerProblems = (field: string, container: Container, rules: readonly Rule[]): Problem[] =>
  rules.flatMap((rule) =>
    problem(
      `${field}.securityContext.${rule.field}`,
      rule.verdict(at(container.securityContext, rule.field)),
    ),
  );

/** What a listener's `pod_security` refuses of a deployment's containers, volumes and annotations, by field. */
export function podSecurityProblems(spec: ResourceSpec, profile: PodSecurity): Problem[] {
  if (profile === 'privileged') return [];
  const rules = profile === 'restricted' ? restricted : baseline;
  const containers = (['init_containers', 'sidecars'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap((container, index) =>
      containerProblems(`resource_spec.${list}[${index}]`, container, rules),
    ),
  );
  const found = [
    ...annotationsProblems(spec.annotations ?? {}),
    ...(profile === 'restricted' ? volumesProblems(spec.volumes ?? []) : []),
    ...containers,
  ];
  return found.map(({ field, reason }) => ({ field, reason: `${reason} (pod_security ${profile})` }));
}
