import * as z from 'zod';
import { open, seal } from '../adapters/envelope.ts';
import type { KeyContext } from '../adapters/keys.ts';
import type { Secret } from '../contract/deployments/secrets.ts';
import type { DeploymentRef } from '../contract/refs.ts';
import type { Deps } from './deps.ts';
import { getSealedSecrets, type SecretsOf } from './items/deployments.ts';
import type { Deployment, Revision } from './items/items.ts';

const stored = z.array(z.object({ name: z.string(), value: z.string() }));

/** Ciphertext opens only for the deployment it was made for. */
const contextOf = (ref: DeploymentRef): KeyContext => ({
  tenant: ref.tenantId,
  deployment: ref.deploymentId,
});

export const sealDeploymentSecrets = (
  deps: Pick<Deps, 'keys'>,
  ref: DeploymentRef,
  secrets: Secret[],
): Promise<string> => seal(deps.keys, JSON.stringify(secrets), contextOf(ref));

type OpenDeps = Pick<Deps, 'table' | 'keys'>;
type Version = number | undefined;

async function opened(
  deps: OpenDeps,
  ref: DeploymentRef,
  of: SecretsOf,
  version: Version,
): Promise<Secret[]> {
  if (version === undefined) return [];
  const sealed = await getSealedSecrets(deps.table, ref, of, version);
  return stored.parse(JSON.parse(await open(deps.keys, sealed, contextOf(ref))));
}

/**
 * The secrets of a version in plain; none when there is no version. Callers never log nor store what they
 * get.
 */
export const openDeploymentSecrets = (
  deps: OpenDeps,
  ref: DeploymentRef,
  version: Version,
): Promise<Secret[]> => opened(deps, ref, 'servers', version);

/** The same of the secrets of builds, which nothing but a build is given. */
export const openBuildSecrets = (deps: OpenDeps, ref: DeploymentRef, version: Version): Promise<Secret[]> =>
  opened(deps, ref, 'builds', version);

/** Values that the installation gives to all servers that it runs. Throws AgentSecretsUnreadable. */
export const sharedValues = async ({ agentSecrets }: Pick<Deps, 'agentSecrets'>): Promise<string[]> =>
  (await agentSecrets?.values()) ?? [];

/** The versions that a revision runs and is built with. */
export type SecretVersions = Pick<Revision, 'secrets' | 'build_secrets'>;

/** The versions that the next revision of a deployment will have. */
export const secretVersionsOf = ({ secrets, config }: Deployment): SecretVersions => ({
  secrets,
  build_secrets: config.build_secrets?.version,
});

/** The values alone, of servers and builds, for replacing them in what is printed. */
export async function secretValues(
  deps: OpenDeps,
  ref: DeploymentRef,
  { secrets, build_secrets: buildSecrets }: SecretVersions,
): Promise<string[]> {
  const lists = await Promise.all([
    openDeploymentSecrets(deps, ref, secrets),
    openBuildSecrets(deps, ref, buildSecrets),
  ]);
  return lists.flat().map((secret) => secret.value);
}
