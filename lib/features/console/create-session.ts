import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Deps } from '../../core/deps.ts';
import { hashOf } from '../../core/identity/api-key.ts';
import { isUsable } from '../../core/identity/authenticate.ts';
import { apiKeyWrites } from '../../core/identity/issue-api-key.ts';
import { type ApiKeyItem, checkApiKey, findApiKey } from '../../core/items/api-keys.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { type ConsoleLink } from './items.ts';
import type { createConsoleSession as row } from './routes.ts';
import { findConsoleLink, takeConsoleLink } from './store.ts';

/** A working day; a stolen one is of no use the day after. */
export const SESSION_MILLISECONDS = 12 * 3_600_000;

type SessionDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Takes the code of a link for a key with the role and the tenants of the key that the link was made with,
 * and no longer life. Throws `console_code_refused`, whatever is wrong with the code.
 */
export async function createConsoleSession(
  deps: SessionDeps,
  { body, requestId }: Pick<RouteInput<typeof row>, 'body' | 'requestId'>,
): Promise<RouteOutput<typeof row>> {
  const now = deps.clock.now();
  const hash = hashOf(body.code);
  const link = await findConsoleLink(deps.table, hash);
  const maker = link && link.expires_at > now ? await findApiKey(deps.table, link.key_hash) : undefined;
  if (link === undefined || maker === undefined || !isUsable(maker, now))
    throw refuse('console_code_refused', {});
  const expiresAt = sessionExpiryOf(maker, now);
  const { key, writes } = sessionWrites(deps, { link, maker, expiresAt, requestId });
  try {
    await transact(deps.table, [takeConsoleLink(hash), checkApiKey(link.key_hash), ...writes]);
  } catch (error) {
    throw error instanceof ConditionsFailed ? refuse('console_code_refused', {}) : error;
  }
  return { api_key: key, expires_at: expiresAt };
}

function sessionExpiryOf({ expires_at: makers }: ApiKeyItem, now: number): string {
  const own = now + SESSION_MILLISECONDS;
  return new Date(makers === undefined ? own : Math.min(own, Date.parse(makers))).toISOString();
}

type Session = { link: ConsoleLink; maker: ApiKeyItem; expiresAt: string; requestId: string };

function sessionWrites(deps: SessionDeps, { link, maker, expiresAt, requestId }: Session) {
  const asked = { tenantId: link.tenant_id, userId: maker.user_id, keyId: maker.id, requestId };
  return apiKeyWrites(deps, {
    organizationId: maker.organization_id,
    tenantId: maker.tenant_id,
    userId: maker.user_id,
    role: maker.role,
    name: 'console session',
    expiresAt,
    madeWith: link.key_hash,
    audit: auditMarkOf(deps, { action: 'console_session.create' }, asked),
  });
}
