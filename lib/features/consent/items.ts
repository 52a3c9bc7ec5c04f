import * as z from 'zod';

/**
 * One request for a person's consent, from `authenticate` to the token. Secrets that travel in addresses and
 * cookies are kept as hashes, what must be read again is sealed under tenant and request. Each stage holds
 * what it needs and the next is reached by one conditional write:
 *
 *   created -> consenting -> exchanging -> completed
 *                                       -> confirming -> completed      (user_binding: strict)
 *   and from each of them to ended: nothing more will come of it.
 */
const asked = {
  v: z.literal(1),
  entity: z.literal('auth_request'),
  tenant_id: z.string(),
  id: z.string(),
  organization_id: z.string(),
  /** The user whose key asked: the token will be theirs. */
  owner_id: z.string(),
  /** What they asked with. */
  key_id: z.string(),
  /** As the caller claims. */
  user_id: z.string().optional(),
  agent_id: z.string().optional(),
  provider_id: z.string(),
  /** The provider's own id: another one may have the same name by then. */
  provider_uid: z.string(),
  /** Where the code will be exchanged; a provider that was changed since gets none. */
  token_url: z.string(),
  scopes: z.array(z.string()),
  is_default: z.boolean().optional(),
  /** The grant that the new one is to take the place of. */
  replaces: z.string().optional(),
  redirect_uri: z.string(),
  user_binding: z.enum(['browser', 'strict']),
  nonce_hash: z.string(),
  created_at: z.string(),
  /**
   * Epoch milliseconds: what has not come until then does not count. The table's own expiry (`ttl`, seconds)
   * leaves time to ask how it went.
   */
  expires_at: z.number(),
  ttl: z.int(),
};

/** One browser has gone on to the provider: the one with this cookie. */
const begun = {
  cookie_hash: z.string(),
  state_hash: z.string(),
  /** The PKCE verifier, sealed; absent: the provider takes none. */
  sealed_verifier: z.string().optional(),
};

export const authRequest = z.discriminatedUnion('stage', [
  z.object({ ...asked, stage: z.literal('created') }),
  z.object({ ...asked, ...begun, stage: z.literal('consenting') }),
  // The state was taken: whatever becomes of the exchange, it is good for no second one.
  z.object({ ...asked, ...begun, stage: z.literal('exchanging') }),
  // The provider's answer waits, sealed, for the user who asked to confirm that they were the one who
  // consented.
  z.object({
    ...asked,
    stage: z.literal('confirming'),
    sealed_answer: z.string(),
    code_hash: z.string(),
    attempts_left: z.int(),
  }),
  z.object({ ...asked, stage: z.literal('completed'), granted_token_id: z.string() }),
  // `error` is a word of ours or the provider's `error` code.
  z.object({ ...asked, stage: z.literal('ended'), error: z.string() }),
]);
export type AuthRequest = z.infer<typeof authRequest>;
export type AuthRequestAt<S extends AuthRequest['stage']> = Extract<AuthRequest, { stage: S }>;
