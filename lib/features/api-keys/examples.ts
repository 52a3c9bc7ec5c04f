import { CREATED, ORGANIZATION, page, TENANT, USER } from '../../contract/example-values.ts';

const apiKey = {
  id: '01a1fdd1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
  name: 'deploys of the support team',
  hint: 'slp_7Kq2…x9Lw',
  role: 'developer',
  organization_id: ORGANIZATION,
  tenant_id: TENANT,
  user_id: USER,
  listener_id: null,
  created_at: CREATED,
  expires_at: '2027-11-21T00:00:00.000Z',
  last_used_at: null,
};

export const apiKeyExamples = {
  createApiKey: {
    body: { name: apiKey.name, role: 'developer', expires_at: apiKey.expires_at },
    response: { ...apiKey, key: 'slp_…, shown this once' },
  },
  listApiKeys: page(apiKey),
};
