import { refuse } from '../../contract/errors.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { ownKey } from '../../core/identity/own-key.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { revokeApiKeyWrites } from '../api-keys/store.ts';

/** Ends the caller's own login. Throws `state_forbids` for any other credential. */
export async function deleteDeviceToken(
  deps: Pick<Deps, 'table' | 'clock'>,
  _: object,
  caller: Caller,
): Promise<undefined> {
  const own = await ownKey(deps, caller);
  if (own?.key.kind !== 'login')
    throw refuse('state_forbids', {
      reason: 'This credential is no key of a login; a key is revoked with DELETE /v2/api-keys/{key_id}.',
    });
  const audit = auditMarkOf(deps, { action: 'device_login.delete' }, caller);
  const asked = { key: own.key, by: caller.role, now: deps.clock.now(), audit };
  try {
    await transact(deps.table, revokeApiKeyWrites(own.owner, own.row, asked));
  } catch (error) {
    // Revoked meanwhile.
    if (!(error instanceof ConditionsFailed)) throw error;
  }
  return undefined;
}
