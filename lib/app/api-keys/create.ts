import { refuse, ValidationError } from '../../contract/errors.ts';
import type { CreateApiKeyBody } from '../../contract/identity.ts';
import { lackedToGive } from '../../contract/roles.ts';
import type { createApiKey as row } from '../../contract/routes/identity.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { checkListener } from '../../store/listeners/listener-writes.ts';
import { MANAGED_COMPUTE_ID } from '../../store/listeners/managed.ts';
import { auditOf } from '../audit.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { apiKeyWrites } from '../identity/create-api-key.ts';
import { checkNotManaged } from '../listeners/not-managed.ts';
import { ownerInScope } from './scope.ts';
import { apiKeyView } from './view.ts';

/**
 * Makes a key that is not above its maker's role or tenant. It acts as its maker, or as a new user of its own
 * (`service_user`, and always for a listener), never as another person. Throws `permission_missing`,
 * `tenant_forbidden`, `listener_not_found`, `state_forbids`.
 */
export async function createApiKey(
  deps: Pick<Deps, 'table' | 'clock'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { role, name, listener_id: listenerId } = body;
  const permission = lackedToGive(caller.role, role);
  if (permission !== undefined) throw refuse('permission_missing', { permission });
  if (body.tenant_id !== undefined && body.tenant_id !== caller.tenantId)
    throw refuse('tenant_forbidden', { tenant: body.tenant_id });
  if (listenerId !== undefined)
    checkNotManaged(MANAGED_COMPUTE_ID, { tenant_id: caller.tenantId, listener_id: listenerId });
  const expiresAt = expiryOf(body, deps.clock.now());
  const { key, item, writes } = apiKeyWrites(deps, {
    ...ownerInScope(caller, body.scope, 'organization_keys:write'),
    userId: body.service_user === true || role === 'listener' ? deps.clock.randomId() : caller.userId,
    role,
    name,
    ...(listenerId !== undefined && { listenerId }),
    ...(expiresAt !== undefined && { expiresAt }),
    audit: auditOf(deps, caller, 'api_key.create'),
  });
  try {
    const named = listenerId === undefined ? [] : [{ tenant_id: caller.tenantId, listener_id: listenerId }];
    await transact(deps.table, [...writes, ...named.map(checkListener)]);
  } catch (error) {
    const isGone = error instanceof ConditionsFailed && error.failed.has('listener');
    throw isGone && listenerId !== undefined ? refuse('listener_not_found', { id: listenerId }) : error;
  }
  return { ...apiKeyView(item, undefined), key };
}

function expiryOf({ expires_at: at }: CreateApiKeyBody, now: number): string | undefined {
  if (at === undefined) return undefined;
  const text = new Date(at).toISOString();
  if (at > now) return text;
  const words = { type: 'datetime_future', msg: 'Input should be in the future' };
  throw new ValidationError([{ loc: ['body', 'expires_at'], ...words, input: text }]);
}
