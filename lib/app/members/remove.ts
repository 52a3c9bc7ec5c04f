import { refuse } from '../../contract/errors.ts';
import type { removeMember as row } from '../../contract/routes/identity.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { absent, present, update } from '../../store/expressions.ts';
import { member } from '../../store/identity-items.ts';
import { memberKey } from '../../store/keys.ts';
import { ConditionsFailed, find } from '../../store/operations.ts';
import { write } from '../../store/write.ts';
import { auditOf } from '../audit.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { forgottenAt } from '../identity/forgotten-at.ts';
import { isNotAbove, refusalOfRole } from './above.ts';

/** Takes a user's role in the caller's tenant, one that is not above the caller's own. Their next request finds it gone; keys that they have made stay. */
export async function removeMember(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { member_id: id } = params;
  const key = memberKey(caller.tenantId, id);
  const before = await find(deps.table, key, member);
  const now = deps.clock.now();
  const set = {
    removed_at: new Date(now).toISOString(),
    ttl: forgottenAt(now),
    audit: auditOf(
      deps,
      caller,
      'membership.remove',
      before && { role: before.role, user_id: before.user_id },
    ),
  };
  const removable = [present('pk'), absent('removed_at'), isNotAbove(caller)];
  try {
    await write(deps.table, update('member', key, { set }, ...removable));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const found = error.failed.get('member');
    const isThere = found !== undefined && found.removed_at === undefined;
    throw (isThere && refusalOfRole(caller, found)) || refuse('member_not_found', { id });
  }
  return undefined;
}
