import * as z from 'zod';
import { find } from '../../store/dynamodb/reads.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

export const tokenRuleKey = (tenantId: string, ruleId: string): Key => ({
  pk: `T#${tenantId}#TR`,
  sk: ruleId,
});

/** All that who has a key of a rule asks of it; the rest would be in every function's bundle. */
const end = z.object({ removed_at: z.string().optional() });

/** Whether there is a rule with this id, which was not deleted. */
export async function isTokenRule(table: Table, tenantId: string, ruleId: string): Promise<boolean> {
  const found = await find(table, tokenRuleKey(tenantId, ruleId), end);
  return found !== undefined && found.removed_at === undefined;
}
