import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { refusalOfRole } from '../../core/identity/permission-refusals.ts';
import { findMember } from '../../core/items/members.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { removeMember as row } from './routes.ts';
import { MEMBER, removeMemberWrites } from './store.ts';

/**
 * Takes a user's role in the caller's tenant, one that is not above the caller's own. Their next request
 * finds it gone; keys that they have made stay.
 */
export async function removeMember(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { member_id: id } = params;
  const { tenantId, role: by } = caller;
  const before = await findMember(deps.table, tenantId, id);
  const details = before && { role: before.role, user_id: before.user_id };
  const audit = auditMarkOf(deps, { action: 'membership.remove', details }, caller);
  try {
    await transact(deps.table, removeMemberWrites(tenantId, id, { by, now: deps.clock.now(), audit }));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const found = error.failed.get(MEMBER);
    const isThere = found !== undefined && found.removed_at === undefined;
    throw (isThere && refusalOfRole(caller, found)) || refuse('member_not_found', { id });
  }
  return undefined;
}
