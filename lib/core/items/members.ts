import { createHash } from 'node:crypto';
import * as z from 'zod';
import { memberRoles } from '../../contract/roles.ts';
import { find, queryPage } from '../../store/dynamodb/reads.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/**
 * The id of a user as a member: the same for the same user, in the form of a UUID (version 8, RFC 9562). So a
 * user's subject, which is any text of the identity provider's, stands in no key of the table and in no path.
 */
export function memberIdOf(userId: string): string {
  const hex = createHash('sha256').update(userId).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const memberKey = (tenantId: string, memberId: string): Key => ({
  pk: `T#${tenantId}#M`,
  sk: memberId,
});

export const membershipKey = (memberId: string, tenantId: string): Key => ({
  pk: `M#${memberId}`,
  sk: tenantId,
});

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
