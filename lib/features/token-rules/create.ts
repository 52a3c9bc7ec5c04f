import { refuse, ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import type { TokenRule } from '../../core/items/token-rules.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import type { createTokenRule as row } from './routes.ts';
import type { TokenRuleView } from './shape.ts';
import { putTokenRuleWrites, tokenRulesOf } from './store.ts';
import { tokenRuleViewOf } from './view.ts';

/** A repository has a few, and all of a tenant's are read where one of them is to be chosen. */
export const TOKEN_RULES_MAX = 100;

/**
 * Makes a rule about the tokens of one repository. Throws `state_forbids`; of requests at the same moment
 * several may pass.
 */
export async function createTokenRule(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency' | 'tokenIssuers'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<TokenRuleView> {
  const { repository_id, project_id, ...demanded } = body;
  checkIssuer(deps.tokenIssuers, body.issuer);
  const { tenantId } = caller;
  const own = await collected(tokenRulesOf(deps.table, tenantId, TOKEN_RULES_MAX));
  if (own.length >= TOKEN_RULES_MAX)
    throw refuse('state_forbids', {
      reason: `There are ${TOKEN_RULES_MAX} token rules already, which is the limit: delete one first.`,
    });
  const rule: TokenRule = {
    v: 1,
    entity: 'token_rule',
    sk: deps.clock.orderedId(),
    tenant_id: tenantId,
    organization_id: caller.organizationId,
    ...demanded,
    subject:
      repository_id === undefined
        ? { claim: 'project_id', id: project_id ?? '' }
        : { claim: 'repository_id', id: repository_id },
    created_at: new Date(deps.clock.now()).toISOString(),
    created_by: caller.userId,
  };
  const details = { role: rule.role, issuer: rule.issuer, repository: rule.subject.id };
  const audit = auditMarkOf(deps, { action: 'token_rule.create', details }, caller);
  const view = tokenRuleViewOf(rule);
  await transact(deps.table, [...putTokenRuleWrites(rule, audit), ...deps.idempotency.record(view)]);
  return view;
}

function checkIssuer({ issuers }: Deps['tokenIssuers'], input: string): void {
  if (issuers.includes(input)) return;
  const known = issuers.length === 0 ? 'this installation has none yet' : issuers.join(', ');
  throw new ValidationError([
    {
      loc: ['body', 'issuer'],
      type: 'value_error',
      msg: `Value error, the issuer must be one of this installation's (setting oidcIssuers): ${known}`,
      input,
    },
  ]);
}
