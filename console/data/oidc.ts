import * as oauth from 'oauth4webapi';

/**
 * Signing in at an issuer of bearer tokens: authorization code and PKCE. Loaded when somebody does. It
 * imports nothing of ours, so that the script of every page stays in one piece.
 */

/** As `GET /v2/sign-in` says them. */
export type Issuer = { issuer: string; client_id: string; audience: string; token_endpoint: string | null };

/** What is kept of a sign-in while the person is at the issuer: nothing of it opens anything by itself. */
export type Pending = { state: string; nonce: string; verifier: string; place: string };

/** Tokens that the API takes. They are never stored. */
export type Tokens = {
  bearer: string;
  /** Absent: it is not known. */
  expiresInSeconds: number | undefined;
  /** Gets others in their place; absent: the issuer gives no refresh token. */
  renew: (() => Promise<Tokens>) | undefined;
  /** Ends them at the issuer, where it can. */
  end: () => Promise<void>;
};

/** Plain HTTP is for issuers of this very machine; the service takes no others. */
const optionsFor = ({ issuer }: Issuer) => ({
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
});

const clientOf = ({ client_id }: Issuer): oauth.Client => ({ client_id });

async function serverOf(settings: Issuer): Promise<oauth.AuthorizationServer> {
  const url = new URL(settings.issuer);
  const response = await oauth.discoveryRequest(url, { ...optionsFor(settings), algorithm: 'oidc' });
  const found = await oauth.processDiscoveryResponse(url, response);
  return settings.token_endpoint === null ? found : { ...found, token_endpoint: settings.token_endpoint };
}

/** Asks for tokens for the API, where these are others than those for the client itself. */
function audienceOf({ audience, client_id }: Issuer): Record<string, string> {
  if (audience === client_id) return {};
  return { audience, ...(URL.canParse(audience) && { resource: audience }) };
}

/** The address at the issuer to go to, and what to keep until the person is back. */
export async function begin(
  settings: Issuer,
  { redirectUri, place, isAnew }: { redirectUri: string; place: string; isAnew: boolean },
): Promise<{ address: string; pending: Pending }> {
  const { authorization_endpoint: endpoint, scopes_supported: scopes } = await serverOf(settings);
  if (endpoint === undefined) throw new Error('It has no authorization endpoint.');
  const pending = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    place,
  };
  const address = new URL(endpoint);
  const parameters = {
    client_id: settings.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes?.includes('offline_access') ? 'openid offline_access' : 'openid',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...audienceOf(settings),
    // Who has signed out is asked who they are, not signed in again as the one before.
    ...(isAnew && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return { address: address.href, pending };
}

/** Takes what the issuer has sent the person back with for tokens. State and nonce are the library's to check. */
export async function finish(
  settings: Issuer,
  { redirectUri, answer, pending }: { redirectUri: string; answer: URLSearchParams; pending: Pending },
): Promise<Tokens> {
  const server = await serverOf(settings);
  const client = clientOf(settings);
  const checked = oauth.validateAuthResponse(server, client, answer, pending.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    checked,
    redirectUri,
    pending.verifier,
    { ...optionsFor(settings), additionalParameters: audienceOf(settings) },
  );
  const given = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: pending.nonce,
    requireIdToken: true,
  });
  return tokensOf(settings, server, given, undefined);
}

type Server = oauth.AuthorizationServer;

/** `before`: the refresh token that these came of; an issuer that gives no other means it to stay. */
function tokensOf(
  settings: Issuer,
  server: Server,
  given: oauth.TokenEndpointResponse,
  before: string | undefined,
): Tokens {
  const bearer = [given.access_token, given.id_token].find((token) => isFor(token, settings.audience));
  if (bearer === undefined) throw new Error(`It gave no token for '${settings.audience}'.`);
  const refreshToken = given.refresh_token ?? before;
  return {
    bearer,
    expiresInSeconds: given.expires_in,
    renew: refreshToken === undefined ? undefined : () => renewed(settings, server, refreshToken),
    end: () => ended(settings, server, refreshToken ?? given.access_token),
  };
}

/**
 * Whether a token says that it is for the API. Only the API checks it; here it is to tell the two kinds
 * apart: some issuers' access tokens are opaque or name no audience, and then the other one is for the
 * client that the audience names.
 */
function isFor(token: string | undefined, audience: string): boolean {
  const [, claims] = token?.split('.') ?? [];
  if (claims === undefined) return false;
  try {
    const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (c) =>
      c.charCodeAt(0),
    );
    const said: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof said !== 'object' || said === null || !('aud' in said)) return false;
    return [said.aud].flat().includes(audience);
  } catch {
    return false;
  }
}

async function renewed(settings: Issuer, server: Server, refreshToken: string): Promise<Tokens> {
  const client = clientOf(settings);
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, {
    ...optionsFor(settings),
    additionalParameters: audienceOf(settings),
  });
  const given = await oauth.processRefreshTokenResponse(server, client, response);
  return tokensOf(settings, server, given, refreshToken);
}

async function ended(settings: Issuer, server: Server, token: string): Promise<void> {
  if (server.revocation_endpoint === undefined) return;
  const response = await oauth.revocationRequest(server, clientOf(settings), oauth.None(), token, {
    ...optionsFor(settings),
  });
  await oauth.processRevocationResponse(response);
}

/** Whether the issuer has said that it renews nothing any more: asking again would not help. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof oauth.ResponseBodyError && error.status < 500;

/** What went wrong, for who has tried to sign in. */
export function inWords(error: unknown, { issuer }: Issuer): string {
  const { host } = new URL(issuer);
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    if (error.error === 'access_denied') return `The sign-in was refused or given up at ${host}.`;
    return `${host} refused the sign-in: ${error.error_description ?? error.error}.`;
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError)
    return `The answer of ${host} is not one to this sign-in, so it was not used. Sign in again.`;
  if (error instanceof TypeError)
    return `${host} does not answer, or does not allow pages of ${location.origin} to ask it for tokens.`;
  return `The sign-in at ${host} did not work. ${error instanceof Error ? error.message : ''}`;
}
