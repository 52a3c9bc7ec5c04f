import type { OAuthServer } from '../../oauth.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';
import { documentAt } from './http.ts';

/** Metadata of an authorization server (RFC 8414, OpenID Connect Discovery), as far as it is read here. */
export type Metadata = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint?: string;
  registration_endpoint?: string;
  token_endpoint_auth_methods_supported?: string[];
  code_challenge_methods_supported?: string[];
  authorization_response_iss_parameter_supported?: boolean;
};

const texts = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;

const address = (value: unknown): string | undefined =>
  typeof value === 'string' && URL.canParse(value) ? value : undefined;

/** An issuer compares as a URL: with or without the slash that an empty path has. */
const sameUrl = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;

/** Metadata that says of itself that it is this issuer's (RFC 8414 §3.3); anything else is nobody's. */
function metadataOf(document: Record<string, unknown> | undefined, issuer: string): Metadata | undefined {
  if (document === undefined) return undefined;
  const [own, authorization, token] = [
    address(document.issuer),
    address(document.authorization_endpoint),
    address(document.token_endpoint),
  ];
  if (own === undefined || !sameUrl(own, issuer) || authorization === undefined || token === undefined)
    return undefined;
  const [revocation, registration] = [
    address(document.revocation_endpoint),
    address(document.registration_endpoint),
  ];
  const methods = texts(document.token_endpoint_auth_methods_supported);
  const challenges = texts(document.code_challenge_methods_supported);
  return {
    issuer: own,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(revocation !== undefined && { revocation_endpoint: revocation }),
    ...(registration !== undefined && { registration_endpoint: registration }),
    ...(methods !== undefined && { token_endpoint_auth_methods_supported: methods }),
    ...(challenges !== undefined && { code_challenge_methods_supported: challenges }),
    ...(document.authorization_response_iss_parameter_supported === true && {
      authorization_response_iss_parameter_supported: true,
    }),
  };
}

/** Where an issuer publishes its metadata: the name before its path, or behind it. */
function placesOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const before = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? before : [...before, `${origin}${path}/.well-known/openid-configuration`];
}

/** The metadata of an issuer, asked for in all its places at once; the first of them counts. */
export async function issuerMetadata(
  fetch: GuardedFetch,
  issuer: string,
  signal: AbortSignal,
): Promise<Metadata | undefined> {
  const found = await Promise.all(
    placesOf(issuer).map(async (url) => metadataOf(await documentAt(fetch, url, signal), issuer)),
  );
  return found.find((each) => each !== undefined);
}

/**
 * An issuer's path is the beginning of its endpoints' paths nearly everywhere; deeper ones are not looked
 * for.
 */
const PATH_PARTS_MAX = 3;

/** Issuers that may have an authorization endpoint there: its origin, with ever more of its path. */
function issuersOf(authUrl: string): string[] {
  const { origin, pathname } = new URL(authUrl);
  const parts = pathname.split('/').filter((part) => part !== '');
  const lengths = Array.from({ length: Math.min(parts.length, PATH_PARTS_MAX + 1) }, (_, length) => length);
  return lengths.map((length) => [origin, ...parts.slice(0, length)].join('/'));
}

/**
 * Metadata that names exactly these two endpoints; undefined when nobody on the first one's origin publishes
 * such.
 */
export async function serverWith(
  fetch: GuardedFetch,
  { authUrl, tokenUrl }: Pick<OAuthServer, 'authUrl' | 'tokenUrl'>,
  signal: AbortSignal,
): Promise<OAuthServer | undefined> {
  const all = await Promise.all(issuersOf(authUrl).map((issuer) => issuerMetadata(fetch, issuer, signal)));
  const found = all.find(
    (each) =>
      each !== undefined &&
      sameUrl(each.authorization_endpoint, authUrl) &&
      sameUrl(each.token_endpoint, tokenUrl),
  );
  return found === undefined ? undefined : { ...oauthServerOf(found), authUrl, tokenUrl };
}

export const oauthServerOf = (metadata: Metadata): OAuthServer => ({
  authUrl: metadata.authorization_endpoint,
  tokenUrl: metadata.token_endpoint,
  issuer: metadata.issuer,
  ...(metadata.revocation_endpoint !== undefined && { revocationUrl: metadata.revocation_endpoint }),
  issInResponse: metadata.authorization_response_iss_parameter_supported === true,
});
