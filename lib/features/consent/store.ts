import type { AuditMark } from '../../core/items/audit-events.ts';
import { absent, type Change, equals, put, update } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type AuthRequest, type AuthRequestAt, authRequest } from './items.ts';

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

export const authRequestKey = (tenantId: string, authId: string): Key => ({
  pk: `T#${tenantId}#OA#${authId}`,
  sk: 'A',
});

export const findAuthRequest = (
  table: Table,
  tenantId: string,
  authId: string,
): Promise<AuthRequest | undefined> => find(table, authRequestKey(tenantId, authId), authRequest);

/** Stores a new request. `audit`: who asked (lib/core/audit.ts). */
export const putAuthRequest = (item: AuthRequestAt<'created'>, audit: AuditMark): Write =>
  put(AUTH_REQUEST, { ...authRequestKey(item.tenant_id, item.id), ...item, audit }, absent('pk'));

type Stage = AuthRequest['stage'];
/** What a stage adds to a request that was created. */
type Reached = { [S in Stage]: { stage: S } & Omit<AuthRequestAt<S>, keyof AuthRequestAt<'created'>> }[Stage];

/**
 * Brings a request to a stage, unless it has left the one that was read, or what was read of it there has
 * changed.
 */
export function moveToStage(
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

/** So long after its end it can still be asked how a request went. */
const ASKED_SECONDS = 3600;

/** When a request that may take so long from `now` (epoch milliseconds) on is over, and forgotten. */
export const expiryOf = (now: number, seconds: number): { expires_at: number; ttl: number } => ({
  expires_at: now + seconds * 1000,
  ttl: Math.ceil(now / 1000) + seconds + ASKED_SECONDS,
});
