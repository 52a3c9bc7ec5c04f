import * as z from 'zod';

/** Says which rules are about a repository; its key has the tenant and the rule. */
export const tokenRuleRow = z.object({
  v: z.literal(1),
  entity: z.literal('token_rule_row'),
  /** The tenant's id, `#`, the rule's. */
  sk: z.string(),
});
export type TokenRuleRow = z.infer<typeof tokenRuleRow>;

/** A token that was exchanged; it expires after the token does. */
export const usedToken = z.object({
  v: z.literal(1),
  entity: z.literal('used_token'),
  ttl: z.number(),
});
