import type { ErrorShape } from './limit-errors.ts';

/** Each function has these texts; what is longer is said by the one that needs it. */
const asSaid = (p: { reason: string }): string => p.reason;

/** What is said to who exchanges a token of CI (`oauth`: RFC 8693 §2.2.2), and of rules for it. Part of `errors`. */
export const tokenErrors = {
  grant_type_unsupported: { status: 400, oauth: 'unsupported_grant_type', detail: asSaid },
  subject_token_refused: { status: 400, oauth: 'invalid_request', detail: asSaid },
  token_rule_missing: { status: 400, oauth: 'invalid_request', detail: asSaid },
  token_rule_unfit: { status: 400, oauth: 'invalid_request', detail: asSaid },
  token_tenant_unclear: { status: 400, oauth: 'invalid_target', detail: asSaid },
  token_rule_not_found: { status: 404, detail: (p: { id: string }) => `Token rule ID ${p.id} not found.` },
  too_many_exchanges: { status: 429, detail: asSaid, headers: { 'retry-after': '60' } },
} as const satisfies Record<string, ErrorShape>;
