import * as z from 'zod';
import { asGiven } from '../../contract/validation/as-given.ts';
import type { AuditMark } from '../audit-events.ts';
import { absent, equals, put, remove } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { oauthProviderKey } from '../keys/index.ts';
import type { Table } from '../table.ts';

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

const keyOf = (item: OAuthProvider) => oauthProviderKey(item.organization_id, item.provider_id);

/** Stores a new provider. Demands that its `provider_id` is free. `audit`: who asked for it. */
export const putProvider = (item: OAuthProvider, audit: AuditMark): Write =>
  put('oauth_provider', { ...keyOf(item), ...item, audit }, absent('pk'));

/** Changes a provider, but for its `provider_id`. Demands that it is as it was read. */
export const changeProvider = (before: OAuthProvider, after: OAuthProvider, audit: AuditMark): Write =>
  put(
    'oauth_provider',
    { ...keyOf(before), ...after, audit },
    equals('id', before.id),
    equals('version', before.version),
  );

/** Removes a provider. Demands that it is there, and not another one under its `provider_id`. */
export const removeProvider = (item: OAuthProvider): Write =>
  remove('oauth_provider', keyOf(item), equals('id', item.id));
