import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { type Found, findByCode } from './find-by-code.ts';
import { grantOf } from './grant.ts';
import type { DeviceGrant } from './items.ts';
import type { confirmDeviceLogin as row } from './routes.ts';
import { confirmLogin } from './store.ts';

/**
 * Lets a program in: it fetches a key for the caller's tenant, with a role not above theirs, that ends with
 * the key or the person behind their credential. Asked again by the same one it answers the same. Throws
 * `permission_missing`, `device_login_not_found`, `too_many_tries`, and `state_forbids` where the credential
 * lets nobody in.
 */
export async function confirmDeviceLogin(
  deps: Pick<Deps, 'table' | 'clock' | 'settings'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const wanted = await grantOf(deps, body.role, caller);
  const found = await findByCode(deps, body.user_code, caller);
  const grant = isDone(found, wanted) ?? (await give(deps, found, wanted, caller));
  return {
    client_name: found.login.client_name,
    tenant_id: grant.tenant_id,
    role: grant.role,
    key_expires_at: grant.key_expires_at,
  };
}

/** What was given before, if it is the same of the same one. */
function isDone({ login }: Found, wanted: DeviceGrant): DeviceGrant | undefined {
  if (login.state !== 'confirmed') return undefined;
  const fields = ['tenant_id', 'user_id', 'key_id', 'role'] as const;
  return fields.every((field) => login.grant[field] === wanted[field]) ? login.grant : undefined;
}

async function give(
  deps: Pick<Deps, 'table' | 'clock'>,
  { login, hash }: Found,
  grant: DeviceGrant,
  caller: Caller,
): Promise<DeviceGrant> {
  const details = { role: grant.role, scope: 'tenant', source_address: login.source_address } as const;
  const audit = auditMarkOf(deps, { action: 'device_login.confirm', details }, caller);
  try {
    await transact(deps.table, [confirmLogin(hash, grant, deps.clock.now(), audit)]);
  } catch (error) {
    throw error instanceof ConditionsFailed ? refuse('device_login_not_found', {}) : error;
  }
  return grant;
}
