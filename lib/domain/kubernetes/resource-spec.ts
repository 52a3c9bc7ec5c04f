import type { ResourceSpec } from '../../contract/deployments/resource-spec.ts';
import type { ValidationItem } from '../../contract/errors.ts';
import { labels } from './labels.ts';
import { outside, type Problem, problem, repeated } from './problem.ts';
import { dnsLabel, labelValue, qualifiedName, quantity, subdomain, variableSyntax } from './syntax.ts';
import { mountsProblems, volumeProblems } from './volumes.ts';

/** An empty name is none, as in Kubernetes. */
function accountProblems({ service_account_name: account, image_pull_secrets: secrets }: ResourceSpec) {
  const named = (secrets ?? []).map(
    ({ name }, index) => [`resource_spec.image_pull_secrets[${index}].name`, name] as const,
  );
  return [
    ...problem('resource_spec.service_account_name', account ? subdomain(account) : undefined),
    ...named.flatMap(([field, name]) => problem(field, subdomain(name))),
    ...repeated(named),
  ];
}

/** What a cluster would refuse of a `resource_spec`, as far as it is cheap to know, each with its field. */
export const specProblems = (spec: ResourceSpec): Problem[] => [
  ...metadataProblems(spec),
  ...accountProblems(spec),
  ...volumeProblems(spec),
  ...mountsProblems('resource_spec.volume_mounts', spec.volume_mounts, spec, false),
  ...containersProblems(spec),
];

/** The parts of a field's name: `.volumes`, `[0]`, `["a key"]`. */
const PART = /\.?([A-Za-z_]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;

const pathOf = (field: string): (string | number)[] =>
  [...field.matchAll(PART)].map(([, name, index, key]) => {
    if (name !== undefined) return name;
    return index === undefined ? String(JSON.parse(key ?? '""')) : Number(index);
  });

/**
 * What a cluster would refuse, as items of a 422. What is stored already was taken then, and is not refused
 * when it is sent back.
 */
export function specItems(asked: ResourceSpec, stored: ResourceSpec | undefined): ValidationItem[] {
  const asOf = ({ field, reason }: Problem) => `${field}: ${reason}`;
  const known = new Set(stored === undefined ? [] : specProblems(stored).map(asOf));
  return specProblems(asked)
    .filter((found) => !known.has(asOf(found)))
    .map(({ field, reason }) => ({
      loc: ['body', 'source_config', ...pathOf(field)],
      type: 'value_error',
      msg: `Value error, ${reason}`,
    }));
}

type Container = NonNullable<ResourceSpec['sidecars']>[number];

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
/** The containers that Slipway adds. */
const OWN_CONTAINERS = ['server', 'queue'];

const imageProblem = (image: string): string | undefined =>
  image.trim() === image ? undefined : 'an image has no white space around it';

const ownNameProblem = (name: string): string | undefined =>
  OWN_CONTAINERS.includes(name) ? `${name} is Slipway's own container: choose another name` : undefined;

function environmentProblems(field: string, env: Container['env']): Problem[] {
  const given = env ?? [];
  return [
    ...given.flatMap(({ name, value, valueFrom }, index) => [
      ...problem(`${field}[${index}].name`, variableSyntax(name)),
      ...problem(
        `${field}[${index}].valueFrom`,
        value !== undefined && value !== '' && valueFrom !== undefined
          ? 'give value or valueFrom, not both'
          : undefined,
      ),
    ]),
    ...repeated(given.map(({ name }, index) => [`${field}[${index}].name`, name] as const)),
  ];
}

const resourceProblems = (field: string, resources: Container['resources']): Problem[] =>
  Object.entries(resources ?? {}).flatMap(([kind, list]) =>
    Object.entries(list ?? {}).flatMap(([name, amount]) =>
      problem(`${field}.${kind}[${JSON.stringify(name)}]`, quantity(String(amount))),
    ),
  );

const isPrivileged = ({ securityContext }: Container): boolean => securityContext?.privileged === true;

function containerProblems(field: string, container: Container, spec: ResourceSpec): Problem[] {
  const { name, image, imagePullPolicy, restartPolicy, env, resources, volumeMounts } = container;
  return [
    ...problem(`${field}.name`, dnsLabel(name) ?? ownNameProblem(name)),
    ...problem(`${field}.image`, imageProblem(image)),
    ...outside(`${field}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES),
    ...outside(`${field}.restartPolicy`, restartPolicy, ['Always']),
    ...environmentProblems(`${field}.env`, env),
    ...resourceProblems(`${field}.resources`, resources),
    ...mountsProblems(`${field}.volumeMounts`, volumeMounts, spec, isPrivileged(container)),
  ];
}

function containersProblems(spec: ResourceSpec): Problem[] {
  const placed = (['init_containers', 'sidecars'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ field: `resource_spec.${list}[${index}]`, container })),
  );
  return [
    ...placed.flatMap(({ field, container }) => containerProblems(field, container, spec)),
    ...repeated(placed.map(({ field, container }) => [`${field}.name`, container.name] as const)),
  ];
}

const OWN_PREFIX = 'slipway.dev/';
const POD_SECURITY_PREFIX = 'pod-security.kubernetes.io/';
const ownKeys: ReadonlySet<string> = new Set(Object.values(labels));
const ANNOTATIONS_SIZE_BYTES_MAX = 256 * 1024;

const isOwn = (key: string): boolean => key.startsWith(OWN_PREFIX) || ownKeys.has(key);

const textProblem = (value: unknown): string | undefined =>
  typeof value === 'string' ? undefined : `${JSON.stringify(value)} is no text: put it in quotes`;

type Rules = { key: (key: string) => string | undefined; value?: (value: string) => string | undefined };

function entryProblem(key: string, value: unknown, rules: Rules): string | undefined {
  if (isOwn(key)) return 'Slipway sets this key itself: choose another one';
  if (key.startsWith(POD_SECURITY_PREFIX))
    return "such a key is of a namespace and means nothing here: what is allowed is the listener's pod_security";
  return (
    rules.key(key) ?? textProblem(value) ?? (typeof value === 'string' ? rules.value?.(value) : undefined)
  );
}

const entriesProblems = (
  field: string,
  given: Record<string, unknown> | undefined,
  rules: Rules,
): Problem[] =>
  Object.entries(given ?? {}).flatMap(([key, value]) =>
    problem(`${field}[${JSON.stringify(key)}]`, entryProblem(key, value, rules)),
  );

const labelRules = { key: qualifiedName, value: labelValue };
/** Kubernetes takes capitals in the keys of annotations alone. */
const annotationRules = { key: (key: string) => qualifiedName(key.toLowerCase()) };

function metadataProblems({ labels: given, annotations }: ResourceSpec): Problem[] {
  const sizeBytes = Buffer.byteLength(
    Object.entries(annotations ?? {})
      .flat()
      .join(''),
  );
  return [
    ...entriesProblems('resource_spec.labels', given, labelRules),
    ...entriesProblems('resource_spec.annotations', annotations, annotationRules),
    ...problem(
      'resource_spec.annotations',
      sizeBytes > ANNOTATIONS_SIZE_BYTES_MAX ? 'annotations have at most 256 KiB in all' : undefined,
    ),
  ];
}
