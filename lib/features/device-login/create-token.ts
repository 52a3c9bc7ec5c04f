import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Deps } from '../../core/deps.ts';
import { hashOf } from '../../core/identity/api-key.ts';
import { apiKeyWrites } from '../../core/identity/issue-api-key.ts';
import { checkApiKey } from '../../core/items/api-keys.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { DeviceLogin } from './items.ts';
import type { createDeviceToken as row } from './routes.ts';
import { checkMember, findLogin, noteAsked, takeLoginWrites } from './store.ts';

/** As RFC 8628 has it. */
const SLOWER_BY_SECONDS = 5;
const INTERVAL_SECONDS_MAX = 60;
/** Requests do not take equally long. */
const EARLY_MILLISECONDS = 1000;

type TokenDeps = Pick<Deps, 'table' | 'clock'>;
type Confirmed = Extract<DeviceLogin, { state: 'confirmed' }>;

/**
 * The key of a login, once: it is made in the transaction that uses the login up, so that of a key that was
 * not asked for there is none. Throws `authorization_pending` and `slow_down` until somebody has decided,
 * `access_denied`, and `expired_token` for whatever else is wrong with the code.
 */
export async function createDeviceToken(
  deps: TokenDeps,
  { body, requestId }: Pick<RouteInput<typeof row>, 'body' | 'requestId'>,
): Promise<RouteOutput<typeof row>> {
  const hash = hashOf(body.device_code);
  const login = await findLogin(deps.table, hash);
  if (login === undefined || login.expires_at <= deps.clock.now()) throw refuse('expired_token', {});
  switch (login.state) {
    case 'waiting':
      throw await refusalOfWaiting(deps, hash, login);
    case 'denied':
      throw refuse('access_denied', {});
    case 'confirmed':
      return deliver(deps, hash, login, requestId);
  }
}

async function refusalOfWaiting(
  { table, clock }: TokenDeps,
  hash: string,
  login: DeviceLogin,
): Promise<Error> {
  const now = clock.now();
  const { asked_at: before, interval_seconds: interval } = login;
  const isEarly = before !== undefined && now < before + interval * 1000 - EARLY_MILLISECONDS;
  const next = isEarly ? Math.min(interval + SLOWER_BY_SECONDS, INTERVAL_SECONDS_MAX) : interval;
  try {
    await transact(table, [noteAsked(hash, now, next)]);
  } catch (error) {
    // Somebody has decided meanwhile: the next request hears of it.
    if (!(error instanceof ConditionsFailed)) throw error;
  }
  return isEarly ? refuse('slow_down', { seconds: next }) : refuse('authorization_pending', {});
}

async function deliver(
  deps: TokenDeps,
  hash: string,
  login: Confirmed,
  requestId: string,
): Promise<RouteOutput<typeof row>> {
  const { grant } = login;
  if (Date.parse(grant.key_expires_at) <= deps.clock.now()) throw refuse('expired_token', {});
  const who = { tenantId: grant.tenant_id, userId: grant.user_id, keyId: grant.key_id, requestId };
  const { key, writes } = apiKeyWrites(deps, {
    organizationId: grant.organization_id,
    tenantId: grant.tenant_id,
    userId: grant.user_id,
    role: grant.role,
    name: `login of ${login.client_name}`,
    expiresAt: grant.key_expires_at,
    madeWith: grant.made_with,
    kind: 'login',
    audit: auditMarkOf(deps, { action: 'device_login.create' }, who),
  });
  const maker = grant.made_with === undefined ? checkMember(grant) : checkApiKey(grant.made_with);
  try {
    await transact(deps.table, [...takeLoginWrites(hash, login), maker, ...writes]);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    throw error.failed.has('maker') ? refuse('access_denied', {}) : refuse('expired_token', {});
  }
  return {
    access_token: key,
    token_type: 'api_key',
    tenant_id: grant.tenant_id,
    role: grant.role,
    expires_at: grant.key_expires_at,
  };
}
