import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { findByCode } from './find-by-code.ts';
import type { denyDeviceLogin as row } from './routes.ts';
import { denyLogin } from './store.ts';

/**
 * Turns a program away; one that was turned away stays so. Throws `device_login_not_found` and
 * `too_many_tries`.
 */
export async function denyDeviceLogin(
  deps: Pick<Deps, 'table' | 'clock'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<undefined> {
  const { login, hash } = await findByCode(deps, body.user_code, caller);
  if (login.state === 'denied') return undefined;
  const details = { source_address: login.source_address };
  const audit = auditMarkOf(deps, { action: 'device_login.deny', details }, caller);
  try {
    await transact(deps.table, [denyLogin(hash, deps.clock.now(), audit)]);
  } catch (error) {
    throw error instanceof ConditionsFailed ? refuse('device_login_not_found', {}) : error;
  }
  return undefined;
}
