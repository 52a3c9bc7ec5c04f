import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findTokenRule } from '../../core/items/token-rules.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { deleteTokenRule as row } from './routes.ts';
import { removeTokenRuleWrites } from './store.ts';

/**
 * Deletes a rule. Its keys are refused from then on, since authentication asks for the rule of a key; one
 * that is being made at this moment is not made. Throws `token_rule_not_found`.
 */
export async function deleteTokenRule(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { rule_id: id } = params;
  const rule = await findTokenRule(deps.table, caller.tenantId, id);
  if (rule === undefined) throw refuse('token_rule_not_found', { id });
  const details = { role: rule.role, issuer: rule.issuer, repository: rule.subject.id };
  const audit = auditMarkOf(deps, { action: 'token_rule.delete', details }, caller);
  try {
    await transact(deps.table, removeTokenRuleWrites(rule, { now: deps.clock.now(), audit }));
  } catch (error) {
    throw error instanceof ConditionsFailed ? refuse('token_rule_not_found', { id }) : error;
  }
  return undefined;
}
