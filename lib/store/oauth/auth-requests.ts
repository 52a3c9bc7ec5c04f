import * as z from 'zod';
import type { AuditMark } from '../audit-events.ts';
import { absent, type Change, equals, put, update } from '../dynamodb/expressions.ts';
import { find } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { authRequestKey } from '../keys/index.ts';
import type { Table } from '../table.ts';

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
export type AuthStage = AuthRequest['stage'];
type At<S extends AuthStage> = Extract<AuthRequest, { stage: S }>;
export type Consenting = At<'consenting'>;
export type Confirming = At<'confirming'>;

/** What only some stages hold; each change names what it keeps. */
const OF_STAGES = [
  'cookie_hash',
  'state_hash',
  'sealed_verifier',
  'sealed_answer',
  'code_hash',
  'attempts_left',
];

/** The name of the write that fails when the request is at another stage than was read. */
export const AUTH_REQUEST = 'auth_request';

export const findAuthRequest = (
  table: Table,
  tenantId: string,
  authId: string,
): Promise<AuthRequest | undefined> => find(table, authRequestKey(tenantId, authId), authRequest);

/** Stores a new request. `audit`: who asked (lib/core/audit.ts). */
export const putAuthRequest = (item: At<'created'>, audit: AuditMark): Write =>
  put(AUTH_REQUEST, { ...authRequestKey(item.tenant_id, item.id), ...item, audit }, absent('pk'));

type Reached = { [S in AuthStage]: { stage: S } & Omit<At<S>, keyof typeof asked | 'stage'> }[AuthStage];

/**
 * Brings a request to a stage, unless it has left the one that was read, or what was read of it there has
 * changed.
 */
export function reach(
  from: AuthRequest,
  to: Reached,
  more: { expires_at?: number; ttl?: number } = {},
): Write {
  const kept = new Set(Object.keys(to));
  const change: Change = {
    set: { ...to, ...more },
    remove: OF_STAGES.filter((name) => !kept.has(name) && name in from),
  };
  const key = authRequestKey(from.tenant_id, from.id);
  return update(AUTH_REQUEST, key, change, equals('stage', from.stage), ...unchanged(from, to));
}

/** Within a stage, too, only one of several writers goes on from what it has read. */
function unchanged(from: AuthRequest, to: Reached): ReturnType<typeof equals>[] {
  if (from.stage === 'consenting') return [equals('state_hash', from.state_hash)];
  const isCounted = from.stage === 'confirming' && to.stage === 'confirming';
  return isCounted ? [equals('attempts_left', from.attempts_left)] : [];
}
