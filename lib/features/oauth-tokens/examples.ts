import { CREATED } from '../../contract/example-values.ts';

const token = {
  id: '01a1fdd6-7182-7394-8fa0-5b6c7d8e9fa0',
  provider_id: 'calendar',
  provider_account_label: 'alice@example.com',
  user_id: 'customer-7',
  agent_id: null,
  scopes: ['calendar.read'],
  status: 'active',
  is_default: true,
  expires_at: '2026-11-21T12:29:13.279Z',
  has_refresh_token: true,
  metadata: { plan: 'pro' },
  created_at: CREATED,
  updated_at: CREATED,
};

const { provider_id, user_id, scopes, metadata } = token;

export const oauthTokenExamples = {
  listTokens: { response: [token] },
  tokenExists: { response: { has_token: true } },
  deleteTokens: {
    response: { message: "Deleted 1 token of OAuth provider 'calendar'.", provider_id, deleted: 1 },
  },
  importToken: {
    body: {
      ...{ provider_id, user_id, scopes, metadata },
      access_token: 'shown-to-nobody',
      refresh_token: 'shown-to-nobody-either',
      expires_at: token.expires_at,
    },
    response: token,
  },
  changeTokenMetadata: { body: { metadata, is_default: true }, response: token },
};
