import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findByCode } from './find-by-code.ts';
import { grantEndOf, keyBehind, rolesToGive, usualRole } from './grant.ts';
import type { findDeviceLogin as row } from './routes.ts';
import type { DeviceLoginView } from './shape.ts';

/**
 * Shows who asks to be let in, to whom has typed their code. Throws `device_login_not_found`,
 * `too_many_tries`, and `state_forbids` where the credential lets nobody in.
 */
export async function findDeviceLogin(
  deps: Pick<Deps, 'table' | 'clock' | 'settings'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<DeviceLoginView> {
  await keyBehind(deps, caller);
  const { login } = await findByCode(deps, body.user_code, caller);
  if (login.state !== 'waiting') throw refuse('device_login_not_found', {});
  return {
    client_name: login.client_name,
    source_address: login.source_address,
    created_at: login.created_at,
    expires_at: new Date(login.expires_at).toISOString(),
    tenant_id: caller.tenantId,
    roles: rolesToGive(caller),
    role: usualRole(caller),
    key_expires_at: grantEndOf(deps, caller),
  };
}
