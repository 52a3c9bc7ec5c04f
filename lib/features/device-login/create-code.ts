import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Deps } from '../../core/deps.ts';
import { hashOf } from '../../core/identity/api-key.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { hashOfUserCode, newDeviceCode, newUserCode, shownUserCode } from './codes.ts';
import { countLogin, LOGIN_MILLISECONDS } from './limits.ts';
import type { createDeviceCode as row } from './routes.ts';
import { putLoginWrites } from './store.ts';

/** As RFC 8628 has it where nothing else is said. */
export const INTERVAL_SECONDS = 5;

/** Begins the login of a program. Nobody's yet: whoever types its code decides. Throws `too_many_logins`. */
export async function createDeviceCode(
  deps: Pick<Deps, 'table' | 'clock'>,
  { body, sourceAddress, baseUrl }: Pick<RouteInput<typeof row>, 'body' | 'sourceAddress' | 'baseUrl'>,
): Promise<RouteOutput<typeof row>> {
  await countLogin(deps, sourceAddress);
  // Another open login may have the same short code.
  const { deviceCode, userCode } = await retryRaces(deps.table, () =>
    begin(deps, body.client_name, sourceAddress),
  );
  return {
    device_code: deviceCode,
    user_code: shownUserCode(userCode),
    verification_uri: `${baseUrl}/console/device`,
    expires_in: LOGIN_MILLISECONDS / 1000,
    interval: INTERVAL_SECONDS,
  };
}

async function begin(deps: Pick<Deps, 'table' | 'clock'>, clientName: string, sourceAddress: string) {
  const [deviceCode, userCode] = [newDeviceCode(), newUserCode()];
  const now = deps.clock.now();
  const expiresAt = now + LOGIN_MILLISECONDS;
  const login = {
    v: 1,
    entity: 'device_login',
    id: deps.clock.orderedId(),
    client_name: clientName,
    source_address: sourceAddress,
    user_code_hash: await hashOfUserCode(userCode, deps.table.name),
    created_at: new Date(now).toISOString(),
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1000),
    interval_seconds: INTERVAL_SECONDS,
    state: 'waiting',
  } as const;
  await transact(deps.table, putLoginWrites(login, hashOf(deviceCode), now));
  return { deviceCode, userCode };
}
