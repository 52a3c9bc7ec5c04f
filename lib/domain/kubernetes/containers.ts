import type { ResourceSpec } from '../../contract/deployments/resource-spec.ts';
import { outside, type Problem, problem, repeated } from './problem.ts';
import { dnsLabel, quantity, variableSyntax } from './syntax.ts';
import { mountsProblems } from './volumes.ts';

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

export function containersProblems(spec: ResourceSpec): Problem[] {
  const placed = (['init_containers', 'sidecars'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ field: `resource_spec.${list}[${index}]`, container })),
  );
  return [
    ...placed.flatMap(({ field, container }) => containerProblems(field, container, spec)),
    ...repeated(placed.map(({ field, container }) => [`${field}.name`, container.name] as const)),
  ];
}
