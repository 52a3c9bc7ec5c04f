import { type ApiError, refuse } from '../../contract/errors.ts';
import type { TokenRule } from '../../core/items/token-rules.ts';
import { type CiJob, mayBeProposed, nearestUnfit } from './match.ts';

export const grantRefused = (): ApiError =>
  refuse('grant_type_unsupported', {
    reason: "'grant_type' must be urn:ietf:params:oauth:grant-type:token-exchange.",
  });

/** `reason`: the end of a sentence about the token. */
export const tokenRefused = (reason: string): ApiError =>
  refuse('subject_token_refused', { reason: `The subject token is refused: ${reason}.` });

/** To a stranger it says nothing of what rules there are. */
export const ruleMissing = ({ subject: { claim, id } }: CiJob): ApiError =>
  refuse('token_rule_missing', {
    reason: `No rule takes tokens of this issuer for ${claim} ${id}. An administrator of the tenant makes one with POST /v2/token-rules.`,
  });

/** Who has a token of the repository may know what a rule about it does not take, not what it takes. */
export function ruleUnfit(rules: readonly TokenRule[], job: CiJob): ApiError {
  const more = mayBeProposed(job.event)
    ? ' Events of pull and merge requests and of child pipelines are taken only by a rule that names the event.'
    : '';
  return refuse('token_rule_unfit', {
    reason: `A rule is about this repository, but it does not take the token's ${nearestUnfit(rules, job).join(', ')}.${more}`,
  });
}

export const tooManyExchanges = (): ApiError =>
  refuse('too_many_exchanges', {
    reason: 'Too many tokens came from this address within ten minutes; try again later.',
  });

export const tenantUnclear = (): ApiError =>
  refuse('token_tenant_unclear', {
    reason:
      "Rules of several tenants are about this repository: name the tenant, as 'tenant_id' or in the X-Tenant-Id header.",
  });
