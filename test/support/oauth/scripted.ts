import type { OAuth, OAuthClient, OAuthDiscovery } from '../../../lib/adapters/oauth.ts';

const unscripted = async (): Promise<never> => {
  throw new Error('no provider is asked here');
};

/**
 * Providers as a test decides them, for what never leaves this process; replace members. Real ones are in
 * provider.ts.
 */
export const scriptedOAuth: OAuth = {
  authorizationUrl: ({ authUrl }: OAuthClient, { state }) => `${authUrl}?state=${state}`,
  exchange: unscripted,
  refresh: unscripted,
  revoke: unscripted,
};

export const scriptedDiscovery: OAuthDiscovery = {
  discover: async () => undefined,
  discoverMcp: async (mcpServerUrl) => ({
    authUrl: 'https://idp.example/auth',
    tokenUrl: 'https://idp.example/token',
    issuer: 'https://idp.example',
    clientId: 'registered',
    clientSecret: 'never-shown',
    authMethod: 'client_secret_post',
    resource: mcpServerUrl,
  }),
};
