import type { ResourceSpec } from '../../contract/deployments/resource-spec.ts';
import { outside, type Problem, problem, repeated } from './problem.ts';
import { dnsLabel } from './syntax.ts';

type Mounts = NonNullable<ResourceSpec['volume_mounts']>;
type Mount = Mounts[number];

const PROPAGATIONS = ['None', 'HostToContainer', 'Bidirectional'];

/** A volume without a source is an empty folder, as in Kubernetes. */
function sourceProblem(volume: object): string | undefined {
  const sources = Object.keys(volume).filter((field) => field !== 'name');
  return sources.length > 1 ? `a volume has one source, not ${sources.join(' and ')}` : undefined;
}

export function volumeProblems({ volumes = [] }: ResourceSpec): Problem[] {
  const named = (volumes ?? []).map(
    (volume, index) => [`resource_spec.volumes[${index}].name`, volume.name] as const,
  );
  return [
    ...(volumes ?? []).flatMap((volume, index) => [
      ...problem(
        `resource_spec.volumes[${index}].name`,
        volume.name === undefined ? 'a volume has a name' : dnsLabel(volume.name),
      ),
      ...problem(`resource_spec.volumes[${index}]`, sourceProblem(volume)),
    ]),
    ...repeated(named),
  ];
}

const pathProblem = (path: string | undefined): string | undefined =>
  path === undefined || path === '' ? 'a mount has a path' : undefined;

const subPathProblem = (path: string | undefined): string | undefined =>
  path !== undefined && (path.startsWith('/') || path.split('/').includes('..'))
    ? "the path is relative to the volume, without '..'"
    : undefined;

function mountProblems(field: string, mount: Mount, volumes: ReadonlySet<unknown>): Problem[] {
  const { name, subPath, subPathExpr } = mount;
  const isKnown = volumes.has(name);
  const both = subPath !== undefined && subPathExpr !== undefined;
  return [
    ...problem(
      `${field}.name`,
      isKnown ? undefined : `${JSON.stringify(name ?? '')} is none of resource_spec.volumes`,
    ),
    ...problem(`${field}.mountPath`, pathProblem(mount.mountPath)),
    ...problem(`${field}.subPath`, subPathProblem(subPath)),
    ...problem(
      `${field}.subPathExpr`,
      both ? 'give subPath or subPathExpr, not both' : subPathProblem(subPathExpr),
    ),
    ...outside(`${field}.mountPropagation`, mount.mountPropagation, PROPAGATIONS),
  ];
}

/** The mounts of one container. Only a privileged one passes on what it mounts itself. */
export function mountsProblems(
  field: string,
  mounts: Mounts | undefined,
  { volumes }: ResourceSpec,
  isPrivileged: boolean,
): Problem[] {
  const names = new Set((volumes ?? []).map(({ name }) => name));
  const given = mounts ?? [];
  return [
    ...given.flatMap((mount, index) => [
      ...mountProblems(`${field}[${index}]`, mount, names),
      ...problem(
        `${field}[${index}].mountPropagation`,
        mount.mountPropagation === 'Bidirectional' && !isPrivileged
          ? 'Bidirectional is for privileged containers only'
          : undefined,
      ),
    ]),
    ...repeated(given.map(({ mountPath }, index) => [`${field}[${index}].mountPath`, mountPath] as const)),
  ];
}
