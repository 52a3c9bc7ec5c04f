import { CREATED, ORGANIZATION, page, TENANT } from '../../example-values.ts';

const apiKey = {
  id: '01a1fdd1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
  name: 'deploys of the support team',
  hint: 'slp_7Kq2…x9Lw',
  role: 'developer',
  organization_id: ORGANIZATION,
  tenant_id: TENANT,
  user_id: '2b3c4d5e-6f70-4182-9394-a5b6c7d8e9f0',
  listener_id: null,
  created_at: CREATED,
  expires_at: '2027-11-21T00:00:00.000Z',
  last_used_at: null,
};

const tenant = { id: TENANT, organization_id: ORGANIZATION, name: 'support', created_at: CREATED };

const member = {
  id: '01a1fdd2-3d4e-7f50-9b6c-7d8e9f0a1b2c',
  user_id: 'auth0|5f7c8ec7c33c6c004bbafe82',
  role: 'developer',
  created_at: CREATED,
};

const session = { api_key: 'slp_…, shown this once', expires_at: '2026-11-21T12:00:00.000Z' };

export const identityExamples = {
  getMe: {
    response: {
      user_id: apiKey.user_id,
      key_id: apiKey.id,
      organization_id: ORGANIZATION,
      tenant_id: TENANT,
      role: 'viewer',
      permissions: ['self:read', 'deployments:read', 'logs:read', 'listeners:read', 'providers:read'],
      expires_at: null,
      is_session: false,
      tenants: [{ id: TENANT, name: 'support' }],
    },
  },
  createConsoleLink: {
    body: {},
    response: {
      url: 'https://slipway.example/console/#code=…',
      expires_at: '2026-11-21T00:05:00.000Z',
    },
  },
  createConsoleSession: { body: { code: '…, from the link' }, response: session },
  getSignIn: {
    response: {
      oidc: {
        issuer: 'https://id.example',
        client_id: 'slipway-console',
        audience: 'https://slipway.example',
        token_endpoint: null,
      },
    },
  },
  createApiKey: {
    body: { name: apiKey.name, role: 'developer', expires_at: apiKey.expires_at },
    response: { ...apiKey, key: 'slp_…, shown this once' },
  },
  listApiKeys: page(apiKey),
  createTenant: { body: { name: 'support' }, response: tenant },
  listTenants: page(tenant),
  putMember: { body: { user_id: member.user_id, role: 'developer' }, response: member },
  listMembers: page(member),
};
