import * as z from 'zod';
import { anyObject } from '../../contract/validation/as-given.ts';

/**
 * What a person has granted at a provider: an access token, mostly with a refresh token. Times in epoch
 * milliseconds but for those that are shown.
 */
export const oauthToken = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_token'),
  tenant_id: z.string(),
  id: z.string(),
  owner_id: z.string(),
  /** As the caller named them. */
  user_id: z.string().optional(),
  agent_id: z.string().optional(),
  organization_id: z.string(),
  provider_id: z.string(),
  /**
   * The provider's own id, and where its tokens come from: what has other ones now is another server, and is
   * sent nothing.
   */
  provider_uid: z.string(),
  token_url: z.string(),
  /** Access and refresh token; opens only under this tenant and token. */
  sealed: z.string(),
  has_refresh_token: z.boolean(),
  /** expired: the provider takes the grant no more; only a new consent helps. */
  status: z.enum(['active', 'expired']),
  scopes: z.array(z.string()),
  account_label: z.string().optional(),
  is_default: z.boolean(),
  metadata: anyObject().optional(),
  /** Of the access token; absent: the provider did not say. */
  expires_at: z.number().optional(),
  /** From then on it is refreshed before it is handed out. */
  refresh_from: z.number().optional(),
  /** Rises with every new access token and every change of status. */
  version: z.int(),
  /** The request that is refreshing it. With a time and no id: no attempt before that time. */
  lease_id: z.string().optional(),
  lease_until: z.number().optional(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type OAuthToken = z.infer<typeof oauthToken>;

/** Where a token lies, by its id; and how many connections it has, so that none is made while it goes. */
export const oauthTokenPlace = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_token_place'),
  tenant_id: z.string(),
  id: z.string(),
  owner_id: z.string(),
  token_sk: z.string(),
  connections: z.int(),
});
export type OAuthTokenPlace = z.infer<typeof oauthTokenPlace>;
