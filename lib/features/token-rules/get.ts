import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findTokenRule } from '../../core/items/token-rules.ts';
import type { getTokenRule as row } from './routes.ts';
import type { TokenRuleView } from './shape.ts';
import { tokenRuleViewOf } from './view.ts';

/** A rule of the caller's tenant. Throws `token_rule_not_found`. */
export async function getTokenRule(
  { table }: Pick<Deps, 'table'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  { tenantId }: Caller,
): Promise<TokenRuleView> {
  const found = await findTokenRule(table, tenantId, params.rule_id);
  if (found === undefined) throw refuse('token_rule_not_found', { id: params.rule_id });
  return tokenRuleViewOf(found);
}
