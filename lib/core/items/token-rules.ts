import * as z from 'zod';
import { find } from '../../store/dynamodb/reads.ts';
import type { Table } from '../../store/table.ts';
import { tokenRuleKey } from './token-rule-ends.ts';

/** What a rule may demand of a token beside who it is from, each exactly as it stands in the rule. */
const demanded = {
  /** `refs/heads/main`, of whichever provider. */
  ref: z.string().optional(),
  environment: z.string().optional(),
  event_name: z.string().optional(),
};

/** Which tokens of an issuer are exchanged for keys of a tenant. */
export const tokenRule = z.object({
  v: z.literal(1),
  entity: z.literal('token_rule'),
  /** The rule's id. */
  sk: z.string(),
  tenant_id: z.string(),
  organization_id: z.string(),
  name: z.string(),
  issuer: z.string(),
  /** The claim that tells whose token it is, and its value: a number, for names can be taken over. */
  subject: z.object({ claim: z.enum(['repository_id', 'project_id']), id: z.string() }),
  ...demanded,
  role: z.enum(['viewer', 'developer']),
  created_at: z.string(),
  created_by: z.string(),
  /** Is none any more, and neither are its keys. */
  removed_at: z.string().optional(),
});
export type TokenRule = z.infer<typeof tokenRule>;

/** The rule with this id, unless it was deleted. */
export async function findTokenRule(
  table: Table,
  tenantId: string,
  ruleId: string,
): Promise<TokenRule | undefined> {
  const found = await find(table, tokenRuleKey(tenantId, ruleId), tokenRule);
  return found?.removed_at === undefined ? found : undefined;
}
