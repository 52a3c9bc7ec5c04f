import * as z from 'zod';
import { update } from '../../store/dynamodb/expressions.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { OAuthToken } from './oauth-token-shapes.ts';

/** Tokens of a deleted grant that are still to be revoked at their provider. Times in epoch milliseconds. */
export const revocation = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_revocation'),
  tenant_id: z.string(),
  id: z.string(),
  token_id: z.string(),
  organization_id: z.string(),
  provider_id: z.string(),
  provider_uid: z.string(),
  token_url: z.string(),
  /** As the token had them. */
  sealed: z.string(),
  attempts: z.int(),
  created_at: z.number(),
  ttl: z.number(),
});
export type Revocation = z.infer<typeof revocation>;

/** The request that ended the grant tries first; only then is it the schedule's turn. */
const FIRST_DUE_MILLISECONDS = 60_000;
/** The table's time to live deletes the tokens if no attempt is ever made. */
const KEPT_SECONDS = 2 * 86_400;

export const revocationKey = (tenantId: string, tokenId: string, revocationId: string): Key => ({
  pk: `T#${tenantId}#OR#${tokenId}`,
  sk: revocationId,
});

/** The partition of the index in which revocations are due; they are few, and one schedule reads them. */
export const REVOCATIONS_DUE = 'due#revocations';

export const keyOfRevocation = ({ tenant_id, token_id, id }: Revocation): Key =>
  revocationKey(tenant_id, token_id, id);

/** What is to be revoked of a token; `id`: the revocation's own. */
export const revocationOf = (token: OAuthToken, { id, now }: { id: string; now: number }): Revocation => ({
  v: 1,
  entity: 'oauth_revocation',
  tenant_id: token.tenant_id,
  id,
  token_id: token.id,
  organization_id: token.organization_id,
  provider_id: token.provider_id,
  provider_uid: token.provider_uid,
  token_url: token.token_url,
  sealed: token.sealed,
  attempts: 0,
  created_at: now,
  ttl: Math.ceil(now / 1000) + KEPT_SECONDS,
});

/**
 * Keeps a revocation, which is due a minute later. An update, which makes the item: who refreshes may need
 * it, and has no right to put.
 */
export const keepRevocation = (item: Revocation): Write => {
  const due = { due_pk: REVOCATIONS_DUE, due_at: item.created_at + FIRST_DUE_MILLISECONDS };
  return update('revocation', keyOfRevocation(item), { set: { ...item, ...due } });
};
