import type { OAuth, OAuthClient, OAuthDiscovery } from '../../../lib/adapters/oauth.ts';
import { oauth, oauthDiscovery } from '../../../lib/container.ts';

const unscripted = async (): Promise<never> => {
  throw new Error('no provider is asked here');
};

/** Providers as a test decides them, for what never leaves this process; replace members. Real ones are in oauth-provider.ts. */
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

/** As it is scripted when it is called. */
const asScripted: OAuth = {
  authorizationUrl: (...asked) => scriptedOAuth.authorizationUrl(...asked),
  exchange: (...asked) => scriptedOAuth.exchange(...asked),
  refresh: (...asked) => scriptedOAuth.refresh(...asked),
  revoke: (...asked) => scriptedOAuth.revoke(...asked),
};
const discoveredAsScripted: OAuthDiscovery = {
  discover: (...asked) => scriptedDiscovery.discover(...asked),
  discoverMcp: (...asked) => scriptedDiscovery.discoverMcp(...asked),
};

/**
 * Lets the functions' own ports answer as scripted, until the returned function is called. The container keeps its ports, and files of tests share the container:
 * a mocked module would come too late for whichever is not the first.
 */
export function scriptContainer(): () => void {
  const ports = [
    { port: oauth(), scripted: asScripted },
    { port: oauthDiscovery(), scripted: discoveredAsScripted },
  ].map(({ port, scripted }) => ({ port, scripted, real: { ...port } }));
  for (const { port, scripted } of ports) Object.assign(port, scripted);
  return () => {
    for (const { port, real } of ports) Object.assign(port, real);
  };
}
