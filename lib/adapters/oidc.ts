import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { refuse } from '../contract/errors.ts';
import type { IdentityProvider, OidcSettings } from './identity-provider.ts';

/**
 * Asymmetric ones only: with a shared secret, or none, anybody who can read the issuer's public keys could
 * sign.
 */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
];

/** Clocks of two machines differ by less. */
const CLOCK_TOLERANCE_SECONDS = 10;
/**
 * A request that has to wait for where the keys are and for the keys still answers within five seconds when
 * neither comes.
 */
const FETCH_MILLISECONDS_MAX = 2_000;
/** A key that was withdrawn is forgotten after so long. */
const KEYS_MILLISECONDS = 600_000;
/**
 * Whoever makes up key ids makes us fetch no oftener than this, and an issuer that does not answer is left
 * alone for so long.
 */
const PAUSE_MILLISECONDS = 30_000;
/** Where the keys are may change too. */
const DISCOVERY_MILLISECONDS = 3_600_000;

const SUBJECT_LENGTH_MAX = 255;

/**
 * What a token may call itself, without case and without `application/` (RFC 7515 §4.1.9, RFC 9068 §4). An
 * issuer signs other things for the same audience too, such as logout tokens, which must not pass for one.
 */
const TYPES = new Set(['jwt', 'at+jwt']);
const isAccessToken = (typ: unknown): boolean =>
  typ === undefined ||
  (typeof typ === 'string' && TYPES.has(typ.toLowerCase().replace(/^application\//, '')));

/** The issuer has no keys for us, which says nothing about the token. */
class Unreachable extends Error {}

/**
 * Verifies tokens of one issuer by its published keys: signature, algorithm, type, issuer, audience, expiry.
 */
export function openOidc({ issuer, audience }: OidcSettings, now: () => number): IdentityProvider {
  const keys = publishedKeys(issuer, now);
  return {
    async subjectOf(token) {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          requiredClaims: ['sub', 'exp'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: new Date(now()),
        });
        const { sub } = payload;
        if (!isAccessToken(protectedHeader.typ)) return undefined;
        return typeof sub === 'string' && sub !== '' && sub.length <= SUBJECT_LENGTH_MAX ? sub : undefined;
      } catch (error) {
        if (isOfToken(error)) return undefined;
        throw refuse('unavailable', { what: 'The identity provider' });
      }
    },
  };
}

/** Of the library's errors these tell of the issuer's answer; all others of the token. */
const OF_ISSUER = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']);

const isOfToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError && !OF_ISSUER.has(error.code);

/** The issuer's keys, looked for when the first token comes that names one. */
function publishedKeys(issuer: string, now: () => number): JWTVerifyGetKey {
  const fetchFrom = patientFetch(now);
  let found: { keys: Promise<JWTVerifyGetKey>; until: number } | undefined;
  const current = (): Promise<JWTVerifyGetKey> => {
    if (found !== undefined && now() < found.until) return found.keys;
    const asked = { keys: discover(issuer, fetchFrom), until: now() + DISCOVERY_MILLISECONDS };
    found = asked;
    asked.keys.catch(() => {
      asked.until = now() + PAUSE_MILLISECONDS;
    });
    return asked.keys;
  };
  return async (header, token) => (await current())(header, token);
}

type Fetch = (url: string, options?: RequestInit) => Promise<Response>;

/** Fetches from the issuer, and after a failure not again for a while. Throws `Unreachable`. */
function patientFetch(now: () => number): Fetch {
  let pausedUntil = 0;
  return async (address, options) => {
    if (now() < pausedUntil) throw new Unreachable('it did not answer a moment ago');
    try {
      const signal = options?.signal ?? AbortSignal.timeout(FETCH_MILLISECONDS_MAX);
      const response = await fetch(trusted(address), { ...options, redirect: 'error', signal });
      if (response.status !== 200) throw new Unreachable(`${address} answered ${response.status}`);
      return response;
    } catch (error) {
      pausedUntil = now() + PAUSE_MILLISECONDS;
      throw error;
    }
  };
}

/** The issuer's keys, as its discovery document says where they are. */
async function discover(issuer: string, fetchFrom: Fetch): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetchFrom(url, { headers: { accept: 'application/json' } });
  const document: unknown = await response.json();
  const said: Record<string, unknown> = typeof document === 'object' ? { ...document } : {};
  const uri = said.jwks_uri;
  if (said.issuer !== issuer || typeof uri !== 'string')
    throw new Unreachable(`${url} is not of this issuer`);
  return createRemoteJWKSet(trusted(uri), {
    timeoutDuration: FETCH_MILLISECONDS_MAX,
    cacheMaxAge: KEYS_MILLISECONDS,
    cooldownDuration: PAUSE_MILLISECONDS,
    [customFetch]: fetchFrom,
  });
}

/** Keys come over TLS, or from this very machine. */
function trusted(address: string): URL {
  const url = new URL(address);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return url;
  throw new Unreachable(`${url.origin} is not reached over TLS`);
}
