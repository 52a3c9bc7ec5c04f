import { refuse } from '../../contract/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { hashOfUserCode, typedUserCode } from './codes.ts';
import type { DeviceLogin } from './items.ts';
import { countingTries } from './limits.ts';
import { findLogin, findUserCode } from './store.ts';

/** A login, and the hash that it lies under. */
export type Found = { login: DeviceLogin; hash: string };

/**
 * The login whose code a person has typed, decided or not. Throws `device_login_not_found`, whatever is wrong
 * with the code, and `too_many_tries`.
 */
export async function findByCode(
  deps: Pick<Deps, 'table' | 'clock'>,
  typed: string,
  caller: Caller,
): Promise<Found> {
  const found = await countingTries(deps, caller, () => withCode(deps, typed));
  if (found === undefined) throw refuse('device_login_not_found', {});
  return found;
}

async function withCode(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  typed: string,
): Promise<Found | undefined> {
  const code = typedUserCode(typed);
  if (code === undefined) return undefined;
  const hash = await findUserCode(table, await hashOfUserCode(code, table.name));
  const login = hash === undefined ? undefined : await findLogin(table, hash);
  return hash !== undefined && login !== undefined && login.expires_at > clock.now()
    ? { login, hash }
    : undefined;
}
