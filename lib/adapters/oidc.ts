import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { refuse } from '../contract/errors.ts';
import type { IdentityProvider, OidcSettings } from './identity-provider.ts';
import type { GuardedFetch } from './outbound/guarded-fetch.ts';
import type { SignedToken, TokenIssuerSettings, TokenIssuers } from './token-issuers.ts';

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

/** Verifies bearer tokens of one issuer. */
export function openOidc({ issuer, audience }: OidcSettings, now: () => number): IdentityProvider {
  const verify = verifierOf(issuer, now);
  return {
    async subjectOf(token) {
      const { claims } = await verify(token, { audience, requiredClaims: ['sub', 'exp'] });
      return claims && subjectIn(claims);
    },
  };
}

const subjectIn = ({ sub }: JWTPayload): string | undefined =>
  typeof sub === 'string' && sub !== '' && sub.length <= SUBJECT_LENGTH_MAX ? sub : undefined;

type Demands = Pick<JWTVerifyOptions, 'audience' | 'requiredClaims' | 'maxTokenAge'>;
type Verified = { claims: JWTPayload; error?: never } | { claims?: undefined; error: Error | undefined };

/**
 * Verifies tokens of one issuer by its published keys: signature, algorithm, type, issuer, audience, expiry.
 * Gives what they say, or what the library has against them. Throws `unavailable`.
 */
function verifierOf(
  issuer: string,
  now: () => number,
  send: Send = direct,
): (token: string, demands: Demands) => Promise<Verified> {
  const keys = publishedKeys(issuer, now, send);
  return async (token, demands) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        ...demands,
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(now()),
      });
      return isAccessToken(protectedHeader.typ) ? { claims: payload } : { error: undefined };
    } catch (error) {
      if (error instanceof errors.JOSEError && isOfToken(error)) return { error };
      throw refuse('unavailable', { what: 'The identity provider' });
    }
  };
}

/** Older than any job. */
const TOKEN_AGE_MAX = '24 hours';
const JTI_LENGTH_MAX = 255;

/**
 * Verifies tokens that are exchanged, of several issuers: each has keys of its own, so that one that does not
 * answer holds up no other's.
 */
export function openTokenIssuers(
  { issuers, own }: TokenIssuerSettings,
  fetch: GuardedFetch,
  now: () => number,
): TokenIssuers['verify'] {
  const verifiers = new Map(issuers.map((issuer) => [issuer, verifierOf(issuer, now, guarded(fetch))]));
  return async (token, audience) => {
    const issuer = issuerIn(token);
    const verify = verifiers.get(issuer ?? '');
    if (issuer === undefined) return { reason: 'it is no JWT' };
    if (verify === undefined) return { reason: "this installation takes no tokens of its issuer ('iss')" };
    const { claims, error } = await verify(token, {
      // Their makers write the address with its slash at times.
      audience: [audience, `${audience}/`],
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
      maxTokenAge: TOKEN_AGE_MAX,
    });
    if (claims === undefined) return { reason: reasonOf(error, audience) };
    return signedToken(issuer, claims, issuer === own);
  };
}

/** What a token says of its issuer, which nobody has verified yet. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function signedToken(issuer: string, claims: JWTPayload, isOwn: boolean): SignedToken | { reason: string } {
  const { jti, exp = 0 } = claims;
  const subject = subjectIn(claims);
  if (subject === undefined) return { reason: `its 'sub' has not 1 to ${SUBJECT_LENGTH_MAX} characters` };
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_LENGTH_MAX)
    return { reason: `its 'jti' has not 1 to ${JTI_LENGTH_MAX} characters` };
  return {
    issuer,
    userId: isOwn ? subject : `${issuer}#${subject}`,
    jti,
    // As long as it would be taken, and a little longer than the clock's tolerance.
    expiresAt: Math.ceil(exp) + 2 * CLOCK_TOLERANCE_SECONDS,
    claims,
  };
}

/** Why a token is refused. Of its claims something is said only once its signature has been found good. */
function reasonOf(error: Error | undefined, audience: string): string {
  if (error instanceof errors.JWTExpired)
    return error.claim === 'iat' ? "it is older than a day ('iat')" : "it has expired ('exp')";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `it has no '${error.claim}'`;
    if (error.claim === 'aud') return `it is not for this installation: its 'aud' has to be ${audience}`;
    return `its '${error.claim}' does not hold now`;
  }
  return 'it is not signed with a key of its issuer';
}

/** Of the library's errors these tell of the issuer's answer; all others of the token. */
const OF_ISSUER = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']);

const isOfToken = ({ code }: errors.JOSEError): boolean => !OF_ISSUER.has(code);

/** The issuer's keys, looked for when the first token comes that names one. */
function publishedKeys(issuer: string, now: () => number, send: Send): JWTVerifyGetKey {
  const fetchFrom = patientFetch(now, send);
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
type Send = (url: URL, options: { headers: Headers; signal: AbortSignal }) => Promise<Response>;

/** To the issuer that the operator has named for people. */
const direct: Send = (url, options) => fetch(url, { ...options, redirect: 'error' });

/** To one where strangers have tokens: to public addresses, or what the operator allows. */
const guarded =
  (send: GuardedFetch): Send =>
  (url, { headers, signal }) =>
    send(url, { headers: Object.fromEntries(headers), signal });

/** Fetches from the issuer, and after a failure not again for a while. Throws `Unreachable`. */
function patientFetch(now: () => number, send: Send): Fetch {
  let pausedUntil = 0;
  return async (address, options) => {
    if (now() < pausedUntil) throw new Unreachable('it did not answer a moment ago');
    try {
      const signal = options?.signal ?? AbortSignal.timeout(FETCH_MILLISECONDS_MAX);
      const response = await send(trusted(address), { headers: new Headers(options?.headers), signal });
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
