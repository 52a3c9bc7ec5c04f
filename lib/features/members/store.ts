import { type Role, rolesNotAbove } from '../../contract/roles.ts';
import type { AuditMark } from '../../core/items/audit-events.ts';
import { forgottenAt } from '../../core/items/forgotten-at.ts';
import { type MemberItem, member, memberKey, membershipKey } from '../../core/items/members.ts';
import { absent, any, oneOf, present, put, remove, update } from '../../store/dynamodb/expressions.ts';
import { queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Table } from '../../store/table.ts';

/** A tenant's members, in the order of their ids; `limit` is how many are read at a time. */
export async function* membersOf(table: Table, tenantId: string, limit: number): AsyncGenerator<MemberItem> {
  const { pk } = memberKey(tenantId, '');
  for await (const item of queryAll(table, member, { pk, limit })) {
    if (item.removed_at === undefined) yield item;
  }
}

/** The name of the write that fails when a member cannot be changed. */
export const MEMBER = 'member';

/** `by`: the role of who asks. */
type Asked = { by: Role; audit: AuditMark };

/**
 * Makes somebody a member, or gives a member another role. Demands that the role they had is not above `by`.
 */
export const putMemberWrites = (tenantId: string, item: MemberItem, { by, audit }: Asked): Write[] => [
  put(
    MEMBER,
    { ...memberKey(tenantId, item.sk), ...item, audit },
    any(absent('pk'), present('removed_at'), oneOf('role', rolesNotAbove(by))),
  ),
  put('membership', { ...membershipKey(item.sk, tenantId), v: 1, entity: 'membership' }),
];

/** Marks a member as removed. Demands that they are one, and that their role is not above `by`. */
export const removeMemberWrites = (
  tenantId: string,
  memberId: string,
  { by, now, audit }: Asked & { now: number },
): Write[] => [
  update(
    MEMBER,
    memberKey(tenantId, memberId),
    { set: { removed_at: new Date(now).toISOString(), ttl: forgottenAt(now), audit } },
    present('pk'),
    absent('removed_at'),
    oneOf('role', rolesNotAbove(by)),
  ),
  remove('membership', membershipKey(memberId, tenantId)),
];
