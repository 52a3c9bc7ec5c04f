import { refuse, ValidationError, type ValidationItem } from '../../contract/errors.ts';
import type { CreateApiKeyBody } from '../../contract/identity.ts';
import { lackedToGive } from '../../contract/roles.ts';
import type { createApiKey as row } from '../../contract/routes/identity.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { checkListener } from '../../core/items/listener-writes.ts';
import { checkNotManaged } from '../../core/items/managed.ts';
import { withinLimit } from '../../core/limits.ts';
import { type LatestEnd, latestEnd } from '../../domain/key-expiry.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { apiKeyWrites } from '../identity/issue-api-key.ts';
import { lacksPermission } from '../identity/lacks.ts';
import { ownerInScope } from './scope.ts';
import { apiKeyView } from './view.ts';

/**
 * Makes a key that is not above its maker's role or tenant, and ends no later. It acts as its maker, or as a
 * new user of its own (`service_user`, and always for a listener), never as another person. Throws
 * `permission_missing`, `tenant_forbidden`, `listener_not_found`, `state_forbids`.
 */
export async function createApiKey(
  deps: Pick<Deps, 'table' | 'clock' | 'settings'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { role, name, listener_id: listenerId } = body;
  const permission = lackedToGive(caller.role, role);
  if (permission !== undefined) throw lacksPermission(caller, permission, role);
  if (body.tenant_id !== undefined && body.tenant_id !== caller.tenantId)
    throw caller.maker.kind === 'bearer'
      ? refuse('membership_missing', { tenant: body.tenant_id })
      : refuse('tenant_forbidden', { tenant: body.tenant_id });
  if (listenerId !== undefined) checkNotManaged({ tenant_id: caller.tenantId, listener_id: listenerId });
  const expiresAt = expiryOf(deps, body, caller);
  const owner = ownerInScope(caller, body.scope, 'organization_keys:write');
  const { key, item, writes } = apiKeyWrites(deps, {
    ...owner,
    userId: body.service_user === true || role === 'listener' ? deps.clock.randomId() : caller.userId,
    role,
    name,
    ...(listenerId !== undefined && { listenerId }),
    ...(expiresAt !== undefined && { expiresAt }),
    audit: auditOf(deps, caller, 'api_key.create'),
  });
  const named = listenerId === undefined ? [] : [{ tenant_id: caller.tenantId, listener_id: listenerId }];
  await withinLimit(deps, owner, 'keys', async (counted) => {
    try {
      await transact(deps.table, [...writes, counted, ...named.map(checkListener)]);
    } catch (error) {
      const isGone = error instanceof ConditionsFailed && error.failed.has('listener');
      throw isGone && listenerId !== undefined ? refuse('listener_not_found', { id: listenerId }) : error;
    }
  });
  return { ...apiKeyView(item, undefined), key };
}

/** When the key ends (ISO 8601): as asked for, else as late as it may; undefined: never. */
function expiryOf(
  { clock, settings: { keyDays } }: Pick<Deps, 'clock' | 'settings'>,
  { expires_at: at, role }: CreateApiKeyBody,
  { maker }: Caller,
): string | undefined {
  const now = clock.now();
  const latest = latestEnd(maker, role, { now, keyDays });
  const end = at ?? latest?.at;
  if (end === undefined) return undefined;
  const text = new Date(end).toISOString();
  if (end <= now)
    throw wrongExpiry({ type: 'datetime_future', msg: 'Input should be in the future', input: text });
  if (latest !== undefined && end > latest.at) {
    const le = new Date(latest.at).toISOString();
    const msg = `Input should be less than or equal to ${le}: ${reasonOf(latest, keyDays)}`;
    throw wrongExpiry({ type: 'less_than_equal', msg, input: text, ctx: { le } });
  }
  return text;
}

const wrongExpiry = (problem: Omit<ValidationItem, 'loc'>): ValidationError =>
  new ValidationError([{ loc: ['body', 'expires_at'], ...problem }]);

function reasonOf({ of }: LatestEnd, keyDays: number): string {
  if (of === 'key') return 'a key ends no later than the one that it is made with';
  if (of === 'opener')
    return 'a key made in the console ends no later than the key that the session was opened with';
  return `keys made in the console or with a bearer token end within ${keyDays} days; leave it out for the longest`;
}
