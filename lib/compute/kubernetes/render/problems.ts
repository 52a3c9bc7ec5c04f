import { resourceSpec } from '../../../contract/deployments/resource-spec.ts';
import { operatorProblems } from '../../../domain/kubernetes/allowed.ts';
import { type Problem, problem, repeated } from '../../../domain/kubernetes/problem.ts';
import { specProblems } from '../../../domain/kubernetes/resource-spec.ts';
import { secretKey, subdomain, variableSyntax } from '../../../domain/kubernetes/syntax.ts';
import type { RenderContext, ServerSpec } from './context.ts';
import { placeOf } from './route.ts';

const asText = ({ field, reason }: Problem): string => `${field}: ${reason}`;

/** `volumes`, 0 and `name` are `volumes[0].name`. */
const pathOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');

const artifactProblems = ({ artifact }: ServerSpec): Problem[] =>
  problem(
    'artifact',
    artifact.kind === 'image' ? undefined : 'a cluster runs images, and this revision was built as a folder',
  );

function environmentProblems({ environment, secret_references: references }: ServerSpec): Problem[] {
  const named = (list: string, entries: readonly { name: string }[]) =>
    entries.map(({ name }, index) => [`${list}[${index}].name`, name] as const);
  const all = [...named('secrets', environment), ...named('secret_references', references)];
  return [
    ...all.flatMap(([field, name]) => problem(field, variableSyntax(name))),
    ...repeated(all),
    ...references.flatMap(({ secret_name, secret_key }, index) => [
      ...problem(`secret_references[${index}].secret_name`, subdomain(secret_name)),
      ...problem(`secret_references[${index}].secret_key`, secretKey(secret_key)),
    ]),
  ];
}

const IP_ADDRESS = /^[\d.]+$|^\[/;

function hostProblems(spec: ServerSpec, context: RenderContext): Problem[] {
  const place = placeOf(spec, context);
  if (place === undefined) return [];
  const { host, from } = place;
  if (IP_ADDRESS.test(host)) return problem(from, `${host} is an address: a route is for a host name`);
  const longLabel = host.split('.').some((label) => label.length > 63);
  return problem(from, longLabel ? `${host} has a part of more than 63 characters` : subdomain(host));
}

function resourceProblems({ resource_spec: given }: ServerSpec): Problem[] {
  const { data, error } = resourceSpec.safeParse(given);
  if (data === undefined)
    return (error?.issues ?? []).map(({ path, message }) => ({
      field: `resource_spec${pathOf(path)}`,
      reason: message,
    }));
  return specProblems(data);
}

/**
 * What the cluster would refuse of a revision, as far as it is cheap to know, each with its field: before
 * anything of it exists. The cluster's own dry run says the rest.
 */
export const problemsOf = (spec: ServerSpec, context: RenderContext): string[] =>
  [
    ...artifactProblems(spec),
    ...environmentProblems(spec),
    ...resourceProblems(spec),
    ...hostProblems(spec, context),
  ].map(asText);

/**
 * What the operator does not allow of it, each with its field. The control plane has asked that too, but the
 * operator may have changed it since, and a redeploy is of an old revision.
 */
export const limitProblemsOf = (spec: ServerSpec, { computeConfig }: RenderContext): string[] =>
  operatorProblems(resourceSpec.safeParse(spec.resource_spec).data ?? {}, spec.custom_url, computeConfig).map(
    asText,
  );

/** What keeps a set from being started. What serves already was allowed once, and is only brought back. */
export const problemsToStart = (spec: ServerSpec, context: RenderContext, serves: boolean): string[] => [
  ...problemsOf(spec, context),
  ...(serves ? [] : limitProblemsOf(spec, context)),
];
