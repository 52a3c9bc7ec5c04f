import { isDeepStrictEqual } from 'node:util';
import { masked, nameInBoth, namesInBoth, SECRET_MASK } from '../../contract/deployments/secrets.ts';
import { refuse, ValidationError } from '../../contract/errors.ts';
import { readingProblems } from '../../contract/push-paths.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { Source } from '../../contract/revision-status.ts';
import { valueError } from '../../contract/validation/problems.ts';
import type { Deps, Settings } from '../../core/deps.ts';
import { deploymentRefOf } from '../../core/items/deployments.ts';
import type { Deployment, DeploymentConfig } from '../../core/items/items.ts';
import { repositoryProblem } from '../../core/repository-address.ts';
import { openDeploymentSecrets } from '../../core/secrets.ts';
import { ownImage, repositoryOf } from '../../domain/image-repository.ts';
import { sourceKinds } from '../../domain/source.ts';
import { isSameJson } from './configuration.ts';
import type { ChangeDeploymentBody } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that are not what is stored already. */
function others<T extends Fields>(asked: T | undefined, stored: Fields | undefined): Partial<T> {
  const entries = Object.entries(asked ?? {}).filter(([name, value]) => !isSameJson(value, stored?.[name]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the fields of `asked`, as they are
  return Object.fromEntries(entries) as Partial<T>;
}

/**
 * What a request asks for and the deployment does not have: that alone is judged, for what is stored may be
 * sent back, though it would be refused today.
 */
export function askedAnew(
  { config, revision_config, secret_references }: Deployment,
  body: ChangeDeploymentBody,
): {
  source_config: Partial<NonNullable<ChangeDeploymentBody['source_config']>>;
  source_revision_config: Partial<NonNullable<ChangeDeploymentBody['source_revision_config']>>;
  secret_references: ChangeDeploymentBody['secret_references'];
} {
  const { build_secrets: stored } = config;
  const { resource_spec: spec, ...rest } = others(body.source_config, {
    ...config,
    build_secrets: stored && masked(stored.names),
  });
  const members = others(spec, config.resource_spec);
  return {
    source_config: { ...rest, ...(Object.keys(members).length > 0 && { resource_spec: members }) },
    source_revision_config: others(body.source_revision_config, revision_config),
    secret_references: isSameJson(body.secret_references, secret_references)
      ? undefined
      : body.secret_references,
  };
}

/** Sending back what is there is no change. */
export function checkImmutable(deployment: Deployment, body: ChangeDeploymentBody): void {
  const config = body.source_config ?? {};
  const pairs: [field: string, asked: unknown, current: unknown][] = [
    ['name', body.name, deployment.name],
    ['source', body.source, deployment.source],
    ['source_config.listener_id', config.listener_id, deployment.listener_id],
    ['source_config.listener_config', config.listener_config?.k8s_namespace, deployment.k8s_namespace],
    ['source_config.deployment_type', config.deployment_type, deployment.config.deployment_type],
    ['agent', body.agent, deployment.agent],
  ];
  const changed = pairs.find(
    ([, asked, current]) => asked !== undefined && !isDeepStrictEqual(asked, current),
  );
  if (changed !== undefined) throw refuse('immutable_field', { field: changed[0] });
}

/**
 * Throws 422 for a repository that only the installation can tell is not to be read. The schemas have judged
 * everything else.
 */
export function checkRepository(
  { repo_url: repoUrl }: Pick<DeploymentConfig, 'repo_url'>,
  settings: Pick<Deps['settings'], 'allowFileRepositories' | 'addresses'>,
): void {
  if (repoUrl === undefined) return;
  const problem = repositoryProblem(repoUrl, settings);
  if (problem === undefined) return;
  throw new ValidationError([
    {
      loc: ['body', 'source_config', 'repo_url'],
      type: 'value_error',
      msg: `Value error, ${problem}`,
      input: repoUrl,
    },
  ]);
}

/**
 * Refuses an image in a repository that Slipway keeps for another deployment: it may be another tenant's, and
 * it goes when that deployment does. `own` is undefined for a deployment that is only being made, which has
 * no repository yet.
 */
export function checkImagePlace(
  { registryHost }: Pick<Settings, 'registryHost'>,
  own: DeploymentRef | undefined,
  imageUri: string | undefined,
): void {
  const image =
    registryHost === undefined || imageUri === undefined ? undefined : ownImage(registryHost, imageUri);
  const repository = own && repositoryOf(own);
  if (image === undefined || image.repository === repository) return;
  const help =
    repository === undefined
      ? "create it with source 'internal_docker', push the image with its push token, then patch 'image_uri'"
      : `push the image to ${repository} with a push token of this deployment`;
  throw refuse('source_configuration', {
    reason: `'image_uri' is in this installation's registry, but not in this deployment's own repository; ${help}.`,
  });
}

const LOC = ['body', 'source_config', 'push_paths'];

/**
 * Refuses paths where nothing is pushed to, and globs that cannot be read. What is stored already is never
 * refused, so that what a GET answered can be sent back; an empty list clears it.
 */
export function checkPushPaths(
  source: Source,
  asked: readonly string[] | undefined,
  stored: readonly string[] | undefined,
): void {
  if (asked === undefined || asked.length === 0 || isDeepStrictEqual(asked, stored)) return;
  if (!sourceKinds[source].isWatched) {
    throw refuse('source_configuration', {
      reason: `'push_paths' does not go with source '${source}': nobody pushes commits to it.`,
    });
  }
  const items = readingProblems(asked).map(({ index, problem }) => ({
    loc: index === undefined ? LOC : [...LOC, index],
    type: 'value_error',
    msg: `Value error, ${problem}`,
    input: index === undefined ? asked : asked[index],
  }));
  if (items.length > 0) throw new ValidationError(items);
}

/**
 * Throws 422 for a name that a variable and a secret of builds would have, whichever of them is stored
 * already.
 */
export function checkBuildNames(
  { build_env: variables = [], build_secrets: secrets }: DeploymentConfig,
  asked: { build_env?: { name: string }[] | undefined; build_secrets?: { name: string }[] | undefined },
): void {
  const names = secrets?.names.map((name) => ({ name })) ?? [];
  const items = namesInBoth(names, variables).map((name) => {
    const isNamed = (entry: { name: string }) => entry.name === name;
    const index = asked.build_env?.findIndex(isNamed) ?? -1;
    const place =
      index === -1 ? ['build_secrets', asked.build_secrets?.findIndex(isNamed) ?? 0] : ['build_env', index];
    const problem = valueError(`${name} is in build_env and in build_secrets; give it once`);
    return { loc: ['body', 'source_config', ...place, 'name'], ...problem };
  });
  if (items.length > 0) throw new ValidationError(items);
}

/**
 * Throws 422 for a name that would belong to a secret and to a reference, unless it did before and the
 * request leaves both as they are: an earlier release took it, and what is stored can be sent back.
 */
export async function checkSecretNames(
  deps: Pick<Deps, 'table' | 'keys'>,
  before: Deployment,
  after: Deployment,
  body: ChangeDeploymentBody,
): Promise<void> {
  const asSecrets = ({ secret_names: names }: Deployment) => names.map((name) => ({ name }));
  const inBoth = namesInBoth(asSecrets(after), after.secret_references);
  if (inBoth.length === 0) return;
  const known = new Set(namesInBoth(asSecrets(before), before.secret_references));
  const ref = deploymentRefOf(before);
  const stored = known.size === 0 ? [] : await openDeploymentSecrets(deps, ref, before.secrets);
  const isKept = (name: string): boolean => {
    const named = ({ name: each }: { name: string }) => each === name;
    const value = body.secrets?.find(named)?.value ?? SECRET_MASK;
    return (
      known.has(name) &&
      isDeepStrictEqual(after.secret_references.find(named), before.secret_references.find(named)) &&
      (value === SECRET_MASK || value === stored.find(named)?.value)
    );
  };
  const items = inBoth.filter((name) => !isKept(name)).map((name) => itemOf(name, body));
  if (items.length > 0) throw new ValidationError(items);
}

function itemOf(name: string, { secrets = [], secret_references: references = [] }: ChangeDeploymentBody) {
  const isNamed = (entry: { name: string }) => entry.name === name;
  const reference = references.findIndex(isNamed);
  const place = reference === -1 ? ['secrets', secrets.findIndex(isNamed)] : ['secret_references', reference];
  return { loc: ['body', ...place, 'name'], ...nameInBoth(name) };
}
