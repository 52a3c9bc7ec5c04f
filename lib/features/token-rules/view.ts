import type { TokenRule } from '../../core/items/token-rules.ts';
import type { TokenRuleView } from './shape.ts';

export const tokenRuleViewOf = (rule: TokenRule): TokenRuleView => ({
  id: rule.sk,
  name: rule.name,
  issuer: rule.issuer,
  repository_id: rule.subject.claim === 'repository_id' ? rule.subject.id : null,
  project_id: rule.subject.claim === 'project_id' ? rule.subject.id : null,
  ref: rule.ref ?? null,
  environment: rule.environment ?? null,
  event_name: rule.event_name ?? null,
  role: rule.role,
  created_at: rule.created_at,
  created_by: rule.created_by,
});
