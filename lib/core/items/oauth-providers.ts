import * as z from 'zod';
import { refuse } from '../../contract/errors.ts';
import { asGiven } from '../../contract/validation/as-given.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/**
 * An authorization server as one organization uses it. All of an organization's lie in one partition, for
 * there are few. Who keeps a grant keeps `id` with it and compares: after a deletion another provider may
 * have the same `provider_id`, and must not be sent the old one's tokens.
 */
export const oauthProvider = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_provider'),
  organization_id: z.string(),
  /** UUID: of this one, never used again. */
  id: z.string(),
  /** The name that requests use; unique in the organization. */
  provider_id: z.string(),
  name: z.string(),
  client_id: z.string(),
  auth_url: z.string(),
  token_url: z.string(),
  uses_pkce: z.boolean(),
  code_challenge_method: z.literal('S256').optional(),
  provider_type: z.string().optional(),
  mcp_server_url: z.string().optional(),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  authorization_params: asGiven(z.record(z.string(), z.string())),
  is_dynamic_client: z.boolean(),
  allowed_redirect_uris: z.array(z.string()),
  /** strict: a consent counts only when the user who began confirms it with their own credential. */
  user_binding: z.enum(['browser', 'strict']),
  /** Found by discovery; absent: the server publishes nothing that names these very endpoints. */
  issuer: z.string().optional(),
  revocation_url: z.string().optional(),
  iss_in_response: z.boolean().optional(),
  /** RFC 8707: what its tokens are for. */
  resource: z.string().optional(),
  /** The client secret; opens only under this organization and provider. */
  sealed: z.string().optional(),
  /** Counts changes. */
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.string(),
});
export type OAuthProvider = z.infer<typeof oauthProvider>;

export const oauthProviderKey = (organizationId: string, providerId: string): Key => ({
  pk: `O#${organizationId}#OP`,
  sk: providerId,
});

export const findProvider = (
  table: Table,
  organizationId: string,
  providerId: string,
): Promise<OAuthProvider | undefined> =>
  find(table, oauthProviderKey(organizationId, providerId), oauthProvider);

/** All of an organization's providers, by `provider_id`. */
export async function providersOf(table: Table, organizationId: string): Promise<OAuthProvider[]> {
  const all: OAuthProvider[] = [];
  const query = { pk: oauthProviderKey(organizationId, '').pk };
  for await (const item of queryAll(table, oauthProvider, query)) all.push(item);
  return all;
}

export const keyOfProvider = (item: OAuthProvider): Key =>
  oauthProviderKey(item.organization_id, item.provider_id);

/** Whether a request that says `name` means this `id`: a UUID, which has no case. */
export const isNameOfId = (name: string, id: string): boolean => name.toLowerCase() === id;

/** The provider that has this `id`, which is not its `provider_id`. They are few in an organization. */
export async function findProviderById(
  table: Table,
  organizationId: string,
  id: string,
): Promise<OAuthProvider | undefined> {
  return (await providersOf(table, organizationId)).find((provider) => isNameOfId(id, provider.id));
}

/**
 * The provider that a request names, by `provider_id` or by `id`. No provider's `provider_id` is the `id` of
 * another one.
 */
export async function findNamedProvider(
  table: Table,
  organizationId: string,
  name: string,
): Promise<OAuthProvider | undefined> {
  return (await findProvider(table, organizationId, name)) ?? findProviderById(table, organizationId, name);
}

/** The provider of the caller's organization that a request names. Throws 404. */
export async function getNamedProvider(
  table: Table,
  organizationId: string,
  name: string,
): Promise<OAuthProvider> {
  const found = await findNamedProvider(table, organizationId, name);
  if (found === undefined) throw refuse('oauth_provider_not_found', { providerId: name });
  return found;
}
