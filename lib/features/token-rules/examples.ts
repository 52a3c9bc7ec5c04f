import { CREATED, page, TENANT, USER } from '../../contract/example-values.ts';

const rule = {
  id: '01a1fdd5-6071-7283-8e9f-a0b1c2d3e4f5',
  name: 'deploys of support-agent',
  issuer: 'https://token.actions.githubusercontent.com',
  repository_id: '731245980',
  project_id: null,
  ref: 'refs/heads/main',
  environment: null,
  event_name: null,
  role: 'developer',
  created_at: CREATED,
  created_by: USER,
};

export const tokenRuleExamples = {
  createTokenRule: {
    body: {
      name: rule.name,
      issuer: rule.issuer,
      repository_id: rule.repository_id,
      ref: rule.ref,
      role: rule.role,
    },
    response: rule,
  },
  listTokenRules: page(rule),
  getTokenRule: { response: rule },
  exchangeToken: {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'eyJhbGciOi…',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    },
    response: {
      access_token: 'slp_…, shown this once',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'N_A',
      expires_in: 3600,
      tenant_id: TENANT,
      role: 'developer',
      rule_id: rule.id,
    },
  },
};
