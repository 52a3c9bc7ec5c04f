import { CREATED } from '../../contract/example-values.ts';

const connection = {
  id: '01a1fdd7-8293-74a5-90b1-6c7d8e9fa0b1',
  agent_id: 'support',
  oauth_token_id: '01a1fdd6-7182-7394-8fa0-5b6c7d8e9fa0',
  provider_id: 'calendar',
  provider_account_label: 'alice@example.com',
  scopes: ['calendar.read'],
  expires_at: '2026-11-21T12:29:13.279Z',
  created_by: '2b3c4d5e-6f70-4182-9394-a5b6c7d8e9f0',
  created_at: CREATED,
};

const { oauth_token_id, provider_id, scopes, expires_at } = connection;

export const oauthConnectionExamples = {
  listConnections: { response: { data: [connection] } },
  createConnection: { body: { oauth_token_id }, response: connection },
  getConnectionToken: {
    response: {
      access_token: 'an-access-token-of-the-provider',
      token_type: 'Bearer',
      ...{ provider_id, scopes, expires_at },
    },
  },
};
