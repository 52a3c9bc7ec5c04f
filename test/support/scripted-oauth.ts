import type { OAuth, OAuthClient } from '../../lib/adapters/oauth.ts';

const unscripted = async (): Promise<never> => {
  throw new Error('no provider is asked here');
};

/** Providers as a test decides them, for what never leaves this process; replace members. Real ones are in oauth-provider.ts. */
export const scriptedOAuth: OAuth = {
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
  authorizationUrl: ({ authUrl }: OAuthClient, { state }) => `${authUrl}?state=${state}`,
  exchange: unscripted,
  refresh: unscripted,
  revoke: unscripted,
};
