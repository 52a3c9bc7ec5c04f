import * as z from 'zod';
import { open, seal } from '../adapters/envelope.ts';
import type { KeyContext } from '../adapters/keys.ts';
import type { Secret } from '../contract/deployments/secrets.ts';
import type { DeploymentRef } from '../contract/refs.ts';
import type { Deps } from './deps.ts';
import { getSealedSecrets } from './items/deployments.ts';

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

/**
 * The secrets of a version in plain; none when there is no version. Callers never log nor store what they
 * get.
 */
export async function openDeploymentSecrets(
  deps: Pick<Deps, 'table' | 'keys'>,
  ref: DeploymentRef,
  version: number | undefined,
): Promise<Secret[]> {
  if (version === undefined) return [];
  const sealed = await getSealedSecrets(deps.table, ref, version);
  return stored.parse(JSON.parse(await open(deps.keys, sealed, contextOf(ref))));
}

/** Values that the installation gives to all servers that it runs. Throws AgentSecretsUnreadable. */
export const sharedValues = async ({ agentSecrets }: Pick<Deps, 'agentSecrets'>): Promise<string[]> =>
  (await agentSecrets?.values()) ?? [];

/** The values alone, for replacing them in what is printed. */
export async function secretValues(
  deps: Pick<Deps, 'table' | 'keys'>,
  ref: DeploymentRef,
  version: number | undefined,
): Promise<string[]> {
  return (await openDeploymentSecrets(deps, ref, version)).map((secret) => secret.value);
}
