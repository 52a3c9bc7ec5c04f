import { DEPLOYMENT, TENANT } from '../../contract/example-values.ts';

export const registryExamples = {
  createPushToken: {
    body: { supports_registry_username: true },
    response: {
      token: 'the password',
      registry_url: '123456789012.dkr.ecr.eu-central-1.amazonaws.com',
      username: 'AWS',
      repository_url: `123456789012.dkr.ecr.eu-central-1.amazonaws.com/slipway/${TENANT}/${DEPLOYMENT}`,
    },
  },
  createRegistryCredentials: {
    response: {
      registry: '123456789012.dkr.ecr.eu-central-1.amazonaws.com',
      username: 'AWS',
      password: 'the password',
      expires_at: '2026-11-21T23:29:13.000Z',
    },
  },
};
