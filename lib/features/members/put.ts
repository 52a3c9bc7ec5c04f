import { lackedToGive } from '../../contract/roles.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { lacksPermission, refusalOfRole } from '../../core/identity/permission-refusals.ts';
import { memberIdOf } from '../../core/items/members.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { putMember as row } from './routes.ts';
import type { MemberView } from './shape.ts';
import { MEMBER, putMemberWrites } from './store.ts';

/**
 * Gives a user of the identity provider a role in the caller's tenant; neither that nor the one they had is
 * above the caller's own.
 */
export async function putMember(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<MemberView> {
  const { user_id, role } = body;
  const permission = lackedToGive(caller.role, role);
  if (permission !== undefined) throw lacksPermission(caller, permission, role);
  const id = memberIdOf(user_id);
  const created_at = new Date(deps.clock.now()).toISOString();
  const view = { id, user_id, role, created_at };
  const item = {
    v: 1,
    entity: 'member',
    sk: id,
    organization_id: caller.organizationId,
    user_id,
    role,
    created_at,
  } as const;
  const asked = {
    by: caller.role,
    audit: auditMarkOf(deps, { action: 'membership.change', details: { role, user_id } }, caller),
  };
  try {
    await transact(deps.table, [
      ...putMemberWrites(caller.tenantId, item, asked),
      ...deps.idempotency.record(view),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    throw refusalOfRole(caller, error.failed.get(MEMBER)) ?? error;
  }
  return view;
}
