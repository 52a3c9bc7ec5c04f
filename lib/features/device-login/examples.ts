import { TENANT } from '../../contract/example-values.ts';

const user_code = 'BCDF-GHJK';
const client_name = 'slipway 0.2.0 on alice-laptop';
const given = { tenant_id: TENANT, role: 'developer', key_expires_at: '2027-02-19T00:01:00.000Z' };

export const deviceLoginExamples = {
  createDeviceCode: {
    body: { client_name },
    response: {
      device_code: '…, kept by the program',
      user_code,
      verification_uri: 'https://slipway.example/console/device',
      expires_in: 600,
      interval: 5,
    },
  },
  createDeviceToken: {
    body: { device_code: '…, kept by the program' },
    response: {
      access_token: 'slp_…, shown this once',
      token_type: 'api_key',
      tenant_id: TENANT,
      role: 'developer',
      expires_at: given.key_expires_at,
    },
  },
  findDeviceLogin: {
    body: { user_code },
    response: {
      ...given,
      client_name,
      source_address: '203.0.113.7',
      created_at: '2026-11-21T00:00:00.000Z',
      expires_at: '2026-11-21T00:10:00.000Z',
      roles: ['viewer', 'developer'],
    },
  },
  confirmDeviceLogin: {
    body: { user_code, role: 'viewer' },
    response: { ...given, role: 'viewer', client_name },
  },
  denyDeviceLogin: { body: { user_code } },
};
