import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  None,
  nopkce,
  processGenericTokenEndpointResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  validateAuthResponse,
} from 'oauth4webapi';
import type { AuthorizationRequest, OAuth, OAuthClient } from '../../oauth.ts';
import type { AddressRules } from '../addresses.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';
import { inWords } from './failures.ts';
import { answersOf, asJson, objectOf, requestOptions } from './http.ts';
import { inStandardForm, tokenAnswer } from './token-answer.ts';

/** The port, for the addresses that the installation allows. */
export const openOAuth = (rules: AddressRules): OAuth => createOAuth(answersOf(rules));

function createOAuth(fetch: GuardedFetch): OAuth {
  return {
    authorizationUrl,
    exchange: (client, { callback, state, redirectUri, verifier }, signal) =>
      inWords(async () => {
        const server = serverFor(client);
        const checked = validateAuthResponse(server, own(client), believed(client, callback), state);
        const options = { ...requestOptions(fetch, signal), ...forResource(client) };
        const proof = verifier ?? nopkce;
        return answerOf(
          client,
          await authorizationCodeGrantRequest(
            server,
            own(client),
            authenticationOf(client),
            checked,
            redirectUri,
            proof,
            options,
          ),
        );
      }),
    refresh: (client, refreshToken, signal) =>
      inWords(async () => {
        const options = { ...requestOptions(fetch, signal), ...forResource(client) };
        const authentication = authenticationOf(client);
        return answerOf(
          client,
          await refreshTokenGrantRequest(
            serverFor(client),
            own(client),
            authentication,
            refreshToken,
            options,
          ),
        );
      }),
    revoke: (client, token, hint, signal) =>
      inWords(async () => {
        if (client.revocationUrl === undefined) return;
        const additionalParameters = { token_type_hint: hint };
        const options = { ...requestOptions(fetch, signal), additionalParameters };
        const server = serverFor(client);
        const response = await revocationRequest(
          server,
          own(client),
          authenticationOf(client),
          token,
          options,
        );
        // Its body says nothing (RFC 7009 §2.2), not even that it is JSON.
        if (response.status === 200 || response.status === 204) await response.body?.cancel();
        else await objectOf(response);
      }),
  };
}

/** Names that `params` of a request never replaces. */
const OWN_PARAMETERS = new Set(['client_id', 'redirect_uri', 'state', 'response_type', 'scope', 'resource']);
const isOwn = (name: string): boolean => OWN_PARAMETERS.has(name) || name.startsWith('code_challenge');

function authorizationUrl(client: OAuthClient, request: AuthorizationRequest): string {
  const { redirectUri, scopes, state, challenge, challengeMethod = 'S256', params } = request;
  const url = new URL(client.authUrl);
  const set = (name: string, value: string): void => url.searchParams.set(name, value);
  for (const [name, value] of Object.entries(params)) if (!isOwn(name)) set(name, value);
  set('client_id', client.clientId);
  set('response_type', 'code');
  set('redirect_uri', redirectUri);
  set('state', state);
  if (scopes.length > 0) set('scope', scopes.join(' '));
  if (challenge !== undefined) {
    set('code_challenge', challenge);
    set('code_challenge_method', challengeMethod);
  }
  if (client.resource !== undefined) set('resource', client.resource);
  return url.href;
}

const own = ({ clientId }: OAuthClient) => ({ client_id: clientId });

/** The library wants an issuer; where none is known, this one is compared with nothing. */
const serverFor = (client: OAuthClient): AuthorizationServer => ({
  issuer: client.issuer ?? new URL(client.authUrl).origin,
  authorization_endpoint: client.authUrl,
  token_endpoint: client.tokenUrl,
  ...(client.revocationUrl !== undefined && { revocation_endpoint: client.revocationUrl }),
  authorization_response_iss_parameter_supported:
    client.issuer !== undefined && client.issInResponse === true,
});

/**
 * Without a known issuer `iss` cannot be judged; which server answers is told by the redirect URI then, each
 * provider having its own.
 */
function believed({ issuer }: OAuthClient, callback: URLSearchParams): URLSearchParams {
  const parameters = new URLSearchParams(callback);
  if (issuer === undefined) parameters.delete('iss');
  return parameters;
}

const forResource = ({ resource }: OAuthClient) =>
  resource === undefined ? {} : { additionalParameters: { resource } };

/** Whatever the method: without a secret the client says its name only. */
function authenticationOf({ authMethod, clientSecret }: OAuthClient): ClientAuth {
  if (authMethod === 'none' || clientSecret === undefined) return None();
  return authMethod === 'client_secret_basic'
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret);
}

async function answerOf(client: OAuthClient, response: Response) {
  const { id_token: idToken, ...body } = inStandardForm(await objectOf(response));
  const tokens = await processGenericTokenEndpointResponse(
    serverFor(client),
    own(client),
    asJson(body, response.status === 201 ? 200 : response.status),
  );
  return tokenAnswer(tokens, idToken);
}
