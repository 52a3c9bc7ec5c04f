import {
  type AuthMethod,
  authMethods,
  type OAuthDiscovery,
  OAuthError,
  type RegisteredClient,
} from '../../oauth.ts';
import type { AddressRules } from '../addresses.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';
import { hostile, inWords, oauthFailureOf, transient } from './failures.ts';
import { answersOf, documentAt, objectOf } from './http.ts';
import { issuerMetadata, type Metadata, oauthServerOf, serverWith } from './metadata.ts';

/** The port, for the addresses that the installation allows. */
export function openOAuthDiscovery(rules: AddressRules): OAuthDiscovery {
  const fetch = answersOf(rules);
  return {
    discover: (server, signal) => serverWith(fetch, server, signal),
    discoverMcp: (url, wish, signal) => inWords(() => registerAtMcp(fetch, url, wish, signal)),
  };
}

type Wish = { redirectUri: string; name: string };
type ProtectedResource = { resource: string; issuer: string };

/**
 * The authorization server that an MCP server trusts (RFC 9728; without such metadata its own origin), and a
 * client registered there (RFC 7591). PKCE with S256 must be offered, as the protocol says.
 */
async function registerAtMcp(
  fetch: GuardedFetch,
  mcpServerUrl: string,
  wish: Wish,
  signal: AbortSignal,
): Promise<RegisteredClient> {
  const { resource, issuer } = await protectedResource(fetch, mcpServerUrl, signal);
  const metadata = await issuerMetadata(fetch, issuer, signal);
  if (metadata === undefined && signal.aborted) throw transient('it did not answer in time');
  if (metadata === undefined)
    throw new OAuthError('refused', `${new URL(issuer).host} publishes no authorization server metadata.`);
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw new OAuthError('refused', 'The authorization server does not offer PKCE with S256.');
  const registered = await register(fetch, metadata, wish, signal);
  return { ...oauthServerOf(metadata), ...registered, resource };
}

async function protectedResource(
  fetch: GuardedFetch,
  mcpServerUrl: string,
  signal: AbortSignal,
): Promise<ProtectedResource> {
  const url = new URL(mcpServerUrl);
  const path = url.pathname.replace(/\/$/, '');
  const wellKnown = `${url.origin}/.well-known/oauth-protected-resource`;
  const hint = await hintOf(fetch, mcpServerUrl, signal);
  const places = [...new Set([...(hint === undefined ? [] : [hint]), `${wellKnown}${path}`, wellKnown])];
  for (const place of places) {
    const document = await documentAt(fetch, place, signal);
    const found = document && resourceIn(document, url);
    if (found !== undefined) return found;
  }
  return { resource: canonical(url), issuer: url.origin };
}

/** The address of the metadata in the challenge of an unauthenticated request (RFC 9728 §5.1). */
async function hintOf(fetch: GuardedFetch, url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json, text/event-stream' }, signal });
    await response.body?.cancel();
    const challenge = response.headers.get('www-authenticate') ?? '';
    const [, address] = /\bresource_metadata="([^"]+)"/i.exec(challenge) ?? [];
    return address !== undefined && URL.canParse(address) ? address : undefined;
  } catch (error) {
    throw oauthFailureOf(error);
  }
}

/**
 * Metadata counts for the resource that it names (RFC 9728 §3.3): the server itself, or what it lies under.
 */
function resourceIn(document: Record<string, unknown>, server: URL): ProtectedResource | undefined {
  const { resource, authorization_servers: servers } = document;
  const [issuer] = Array.isArray(servers) ? (servers as unknown[]) : [];
  if (typeof resource !== 'string' || !URL.canParse(resource)) return undefined;
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) return undefined;
  const named = new URL(resource);
  const isAbove = `${server.pathname.replace(/\/$/, '')}/`.startsWith(
    `${named.pathname.replace(/\/$/, '')}/`,
  );
  return named.origin === server.origin && isAbove ? { resource, issuer } : undefined;
}

const canonical = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/$/, '')}`;

/** The first that both sides know; a server that names none knows `client_secret_basic` (RFC 8414 §2). */
function methodOf({ token_endpoint_auth_methods_supported: known }: Metadata): AuthMethod {
  const wished = ['client_secret_post', 'client_secret_basic', 'none'] as const;
  const method = wished.find((each) => (known ?? ['client_secret_basic']).includes(each));
  if (method !== undefined) return method;
  throw new OAuthError(
    'refused',
    'The authorization server takes no way to authenticate that is known here.',
  );
}

async function register(fetch: GuardedFetch, metadata: Metadata, wish: Wish, signal: AbortSignal) {
  const { registration_endpoint: url } = metadata;
  if (url === undefined)
    throw new OAuthError('refused', 'The authorization server registers no clients by itself.');
  const method = methodOf(metadata);
  const asked = {
    client_name: wish.name,
    redirect_uris: [wish.redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
  };
  const answer = await post(fetch, url, asked, signal);
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: given } = answer;
  if (typeof clientId !== 'string' || clientId === '') throw hostile('a registration without a client id');
  const authMethod = authMethods.find((each) => each === given) ?? method;
  if (authMethod === 'none') return { clientId, authMethod };
  if (typeof secret !== 'string' || secret === '') throw hostile('a registration without a client secret');
  return { clientId, authMethod, clientSecret: secret };
}

async function post(fetch: GuardedFetch, url: string, body: object, signal: AbortSignal) {
  try {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    return await objectOf(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal }));
  } catch (error) {
    throw oauthFailureOf(error);
  }
}
