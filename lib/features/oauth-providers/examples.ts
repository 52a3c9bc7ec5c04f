import { CREATED } from '../../contract/example-values.ts';

const provider = {
  id: '01a1fdd5-6071-7283-8e9f-4a5b6c7d8e9f',
  organization_id: '01a1fdd0-1b2c-7d3e-8f4a-5b6c7d8e9f0a',
  provider_id: 'calendar',
  name: 'the calendar',
  client_id: 'slipway-at-the-calendar',
  auth_url: 'https://accounts.example/authorize',
  token_url: 'https://accounts.example/token',
  uses_pkce: true,
  code_challenge_method: 'S256',
  created_at: CREATED,
  updated_at: CREATED,
  provider_type: null,
  mcp_server_url: null,
  token_endpoint_auth_method: 'client_secret_post',
  authorization_params: { prompt: 'consent' },
  is_dynamic_client: false,
  allowed_redirect_uris: [],
  user_binding: 'browser',
};

const { provider_id, name, client_id, auth_url, token_url, authorization_params } = provider;
const mcp_server_url = 'https://mcp.example/mcp';

export const oauthProviderExamples = {
  createProvider: {
    body: {
      ...{ provider_id, name, client_id, auth_url, token_url, authorization_params },
      client_secret: 'shown-to-nobody',
    },
    response: provider,
  },
  discoverProvider: {
    body: { provider_id: 'tools', name: 'tools', mcp_server_url },
    response: {
      ...provider,
      ...{ provider_id: 'tools', name: 'tools', mcp_server_url, authorization_params: {} },
      is_dynamic_client: true,
      allowed_redirect_uris: ['https://slipway.example/v2/auth/callback/tools'],
    },
  },
  listProviders: { response: [provider] },
  getProvider: { response: provider },
  patchProvider: { body: { user_binding: 'strict' }, response: { ...provider, user_binding: 'strict' } },
  deleteProvider: { response: { message: "OAuth provider 'calendar' deleted.", provider_id: 'calendar' } },
};
