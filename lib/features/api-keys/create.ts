import { refuse } from '../../contract/errors.ts';
import { lackedToGive } from '../../contract/roles.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { apiKeyWrites } from '../../core/identity/issue-api-key.ts';
import { lacksPermission } from '../../core/identity/permission-refusals.ts';
import { checkListener } from '../../core/items/listener-writes.ts';
import { checkNotManaged } from '../../core/items/managed.ts';
import { withinLimit } from '../../core/limits.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { keyExpiryOf } from './expiry.ts';
import type { createApiKey as row } from './routes.ts';
import { ownerInScope } from './scope.ts';
import { apiKeyViewOf } from './view.ts';

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
  const expiresAt = keyExpiryOf(deps, body, caller);
  const owner = ownerInScope(caller, body.scope, 'organization_keys:write');
  const { key, item, writes } = apiKeyWrites(deps, {
    ...owner,
    userId: body.service_user === true || role === 'listener' ? deps.clock.randomId() : caller.userId,
    role,
    name,
    ...(listenerId !== undefined && { listenerId }),
    ...(expiresAt !== undefined && { expiresAt }),
    audit: auditMarkOf(deps, { action: 'api_key.create' }, caller),
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
  return { ...apiKeyViewOf(item, undefined), key };
}
