import * as z from 'zod';

/**
 * An agent may act with a token of the user who connected them. What is shown of the token is read from the
 * token.
 */
export const connection = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_connection'),
  tenant_id: z.string(),
  id: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  token_id: z.string(),
  /** Where the token lies among its owner's. */
  token_sk: z.string(),
  provider_id: z.string(),
  created_at: z.string(),
});
export type Connection = z.infer<typeof connection>;

/** Its thin twin beside the token's place. */
export const tokenConnection = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_token_connection'),
  tenant_id: z.string(),
  id: z.string(),
  agent_id: z.string(),
});
export type TokenConnection = z.infer<typeof tokenConnection>;
