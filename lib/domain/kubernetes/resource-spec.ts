import type { ResourceSpec } from '../../contract/deployments/resource-spec.ts';
import type { ValidationItem } from '../../contract/errors.ts';
import { containersProblems } from './containers.ts';
import { metadataProblems } from './metadata.ts';
import { type Problem, problem, repeated } from './problem.ts';
import { subdomain } from './syntax.ts';
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
 * The same as items of a 422. What is stored already, and was taken then, is not refused when it is sent
 * back.
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
