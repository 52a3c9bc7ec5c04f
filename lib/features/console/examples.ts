import { ORGANIZATION, TENANT, USER } from '../../contract/example-values.ts';

const session = { api_key: 'slp_…, shown this once', expires_at: '2026-11-21T12:00:00.000Z' };

export const consoleExamples = {
  getMe: {
    response: {
      user_id: USER,
      key_id: '01a1fdd1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
      organization_id: ORGANIZATION,
      tenant_id: TENANT,
      role: 'viewer',
      permissions: ['self:read', 'deployments:read', 'logs:read', 'listeners:read', 'providers:read'],
      expires_at: null,
      is_session: false,
      exchange: null,
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
};
