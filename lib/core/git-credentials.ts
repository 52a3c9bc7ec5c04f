import * as z from 'zod';
import { open, seal } from '../adapters/envelope.ts';
import type { GitCredentials } from '../adapters/git-credentials.ts';
import type { KeyContext } from '../adapters/keys.ts';
import { tokenUsers } from '../contract/integration-types.ts';
import type { Deps } from './deps.ts';
import type { Integration } from './items/integrations.ts';
import { findIntegration } from './items/integrations.ts';
import type { Deployment } from './items/items.ts';

type Owner = { tenantId: string; integrationId: string };
export type Sealed = { token: string; webhook_secret?: string | undefined };

const stored = z.object({ token: z.string(), webhook_secret: z.string().optional() });

/** Ciphertext opens only for the integration it was made for. */
const contextOf = ({ tenantId, integrationId }: Owner): KeyContext => ({
  tenant: tenantId,
  integration: integrationId,
});

export const sealCredentials = (
  deps: Pick<Deps, 'keys'>,
  owner: Owner,
  { token, webhook_secret }: Sealed,
): Promise<string> => seal(deps.keys, JSON.stringify({ token, webhook_secret }), contextOf(owner));

/** Callers never log nor store what it gives. */
export async function openCredentials(deps: Pick<Deps, 'keys'>, item: Integration): Promise<Sealed> {
  const context = contextOf({ tenantId: item.tenant_id, integrationId: item.id });
  return stored.parse(JSON.parse(await open(deps.keys, item.sealed, context)));
}

/**
 * What opens the repository of a deployment; undefined without an integration, and when it was deleted (then
 * the repository is read as anybody may). Callers never log nor store it.
 */
export async function gitCredentialsOf(
  deps: Pick<Deps, 'table' | 'keys'>,
  { tenant_id: tenantId, config }: Pick<Deployment, 'tenant_id' | 'config'>,
): Promise<GitCredentials | undefined> {
  return credentialsOf(deps, tenantId, config.integration_id);
}

/** The same of an integration by its id. */
export async function credentialsOf(
  deps: Pick<Deps, 'table' | 'keys'>,
  tenantId: string,
  integrationId: string | undefined,
): Promise<GitCredentials | undefined> {
  if (integrationId === undefined) return undefined;
  const item = await findIntegration(deps.table, tenantId, integrationId);
  return item && credentialsIn(deps, item);
}

/** The same of an integration that was read. */
export async function credentialsIn(deps: Pick<Deps, 'keys'>, item: Integration): Promise<GitCredentials> {
  const { token } = await openCredentials(deps, item);
  const user = tokenUsers[item.type];
  return { host: item.host, token, submodules: item.submodules ?? false, ...(user && { user }) };
}
