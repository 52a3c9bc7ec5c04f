import * as z from 'zod';
import { memberRoles, type Role, rolesNotAbove } from '../../contract/roles.ts';
import type { AuditMark } from '../audit-events.ts';
import { absent, any, oneOf, present, put, remove, update } from '../dynamodb/expressions.ts';
import { find, queryAll, queryPage } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { memberKey, membershipKey } from '../keys/index.ts';
import type { Table } from '../table.ts';
import { forgottenAt } from './forgotten-at.ts';

/** What a user of the identity provider may do in a tenant. */
export const member = z.object({
  v: z.literal(1),
  entity: z.literal('member'),
  /** The member's id: made from the user's. */
  sk: z.string(),
  organization_id: z.string(),
  user_id: z.string(),
  role: z.enum(memberRoles),
  created_at: z.string(),
  /** Is none any more. */
  removed_at: z.string().optional(),
});
export type MemberItem = z.infer<typeof member>;

/**
 * Says in which tenants a user is to be looked for. What they may do there stands with the member alone, so
 * a row that is too many gives nobody anything.
 */
export const membership = z.object({
  v: z.literal(1),
  entity: z.literal('membership'),
  /** The tenant's id. */
  sk: z.string(),
});

/** The tenants where a user may be a member, newest first; at most `limit`. */
export async function tenantsOfMember(table: Table, memberId: string, limit: number): Promise<string[]> {
  const { pk } = membershipKey(memberId, '');
  const { items } = await queryPage(table, membership, { pk, newestFirst: true, limit });
  return items.map(({ sk }) => sk);
}

/** The member with this id, including a recently removed one. */
export const findMember = (
  table: Table,
  tenantId: string,
  memberId: string,
): Promise<MemberItem | undefined> => find(table, memberKey(tenantId, memberId), member);

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
