import type { OAuth, OAuthClient } from '../../lib/adapters/oauth.ts';
import { oauth } from '../../lib/container.ts';

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

/** As it is scripted when it is called. */
const asScripted: OAuth = {
  discover: (...asked) => scriptedOAuth.discover(...asked),
  discoverMcp: (...asked) => scriptedOAuth.discoverMcp(...asked),
  authorizationUrl: (...asked) => scriptedOAuth.authorizationUrl(...asked),
  exchange: (...asked) => scriptedOAuth.exchange(...asked),
  refresh: (...asked) => scriptedOAuth.refresh(...asked),
  revoke: (...asked) => scriptedOAuth.revoke(...asked),
};

/**
 * Lets the functions' own port answer as scripted, until the returned function is called. The container keeps its port, and files of tests share the container:
 * a mocked module would come too late for whichever is not the first.
 */
export function scriptContainer(): () => void {
  const port = oauth();
  const real = { ...port };
  Object.assign(port, asScripted);
  return () => void Object.assign(port, real);
}
