import { createHmac } from 'node:crypto';
import { exportSPKI } from 'jose';
import { describe, expect, it } from 'vitest';
import { oidcProvider } from '../../../lib/adapters/identity-provider.ts';
import { AUDIENCE, anIssuer, aSigningKey, type Issuer } from '../../support/oauth/issuer.ts';
import { refusedWith } from '../../support/world/requests.ts';

const MINUTE = 60_000;
const UNAVAILABLE = '503 The identity provider is not responding at the moment; try again.';

/** The issuer, what verifies its tokens, and the clock that this reads. */
async function anInstallation() {
  let now = Date.now();
  const issuer = await anIssuer(() => now);
  const provider = oidcProvider({ issuer: issuer.url, audience: AUDIENCE }, () => now);
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { issuer, subjectOf: (token: string) => provider.subjectOf(token), wait };
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string) => token.split('.')[1] ?? '';

/** The same claims under a header of one's own, signed as the function says. */
function resigned(token: string, header: object, sign: (signed: string) => string): string {
  const signed = `${part(header)}.${claimsOf(token)}`;
  return `${signed}.${sign(signed)}`;
}

describe('a bearer token', () => {
  it('is its subject’s, with any of the issuer’s published keys and asymmetric algorithms', async () => {
    const { issuer, subjectOf } = await anInstallation();
    expect(await subjectOf(await issuer.token('auth0|alice'))).toBe('auth0|alice');
    const algorithms = ['RS256', 'PS256', 'ES384', 'EdDSA'];
    const keys = await Promise.all(algorithms.map((alg) => aSigningKey(alg)));
    await issuer.publish(...keys);
    const other = oidcProvider({ issuer: issuer.url, audience: AUDIENCE }, Date.now);
    for (const key of keys) expect(await other.subjectOf(await issuer.token('bob', {}, key))).toBe('bob');
    const many = await issuer.token('bob', { aud: ['other', AUDIENCE] }, keys[0]);
    expect(await other.subjectOf(many)).toBe('bob');
  });

  it('is refused when anything about its claims is wrong', async () => {
    const { issuer, subjectOf } = await anInstallation();
    const seconds = Math.floor(Date.now() / 1000);
    const wrong: Record<string, unknown>[] = [
      { exp: seconds - 60 },
      { exp: undefined },
      { nbf: seconds + 600 },
      { iss: 'https://elsewhere.example' },
      { iss: `${issuer.url}/` },
      { iss: undefined },
      { aud: 'another service' },
      { aud: [] },
      { aud: undefined },
      { sub: undefined },
      { sub: '' },
      { sub: 7 },
      { sub: 'x'.repeat(256) },
    ];
    for (const changes of wrong) {
      const token = await issuer.token('alice', changes);
      expect([changes, await subjectOf(token)]).toEqual([changes, undefined]);
    }
  });

  it('calls itself an access token, or nothing', async () => {
    const { issuer, subjectOf } = await anInstallation();
    const of = async (typ: string) => subjectOf(await issuer.token('alice', {}, issuer.key, typ));
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])
      expect([typ, await of(typ)]).toEqual([typ, 'alice']);
    for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'id+jwt', 'JWE', 'xJWT', ''])
      expect([typ, await of(typ)]).toEqual([typ, undefined]);
  });

  it('is refused when it is not signed with the issuer’s key', async () => {
    const { issuer, subjectOf } = await anInstallation();
    const good = await issuer.token('alice');
    const { kid } = issuer.key;
    const stranger = await aSigningKey('ES256', kid);
    const [header = '', , signature = ''] = good.split('.');
    const spki = await exportSPKI(issuer.key.publicKey);
    const hmac = (key: string) => (signed: string) =>
      createHmac('sha256', key).update(signed).digest('base64url');
    const bad = {
      'another key under the same id': await issuer.token('alice', {}, stranger),
      'an unknown key': await issuer.token('alice', {}, await aSigningKey()),
      'no algorithm': resigned(good, { alg: 'none' }, () => ''),
      'no algorithm, with the id': resigned(good, { alg: 'none', kid }, () => signature),
      'no algorithm, in capitals': resigned(good, { alg: 'NONE', kid }, () => ''),
      'the public key as a secret': resigned(good, { alg: 'HS256', kid }, hmac(spki)),
      'the public key as a secret, without the id': resigned(good, { alg: 'HS256' }, hmac(spki)),
      'a key that it brings along': resigned(good, { alg: 'ES256', jwk: { kty: 'EC' } }, () => signature),
      'an algorithm that the key is not for': resigned(good, { alg: 'RS256', kid }, () => signature),
      'a critical extension that we do not know': resigned(
        good,
        { alg: 'ES256', kid, crit: ['x'], x: 1 },
        () => signature,
      ),
      'other claims': `${header}.${part({ iss: issuer.url, aud: AUDIENCE, sub: 'root', exp: 9e9 })}.${signature}`,
      'no signature': `${header}.${claimsOf(good)}.`,
      'two parts': `${header}.${claimsOf(good)}`,
      'five parts': `${good}.x.y`,
      'no JSON': 'a.b.c',
      nothing: '',
    };
    for (const [what, token] of Object.entries(bad)) {
      expect([what, await subjectOf(token)]).toEqual([what, undefined]);
    }
    expect(await subjectOf(good)).toBe('alice');
  });

  it('is nobody’s where no issuer is configured', async () => {
    const issuer = await anIssuer();
    const none = oidcProvider(undefined, Date.now);
    expect(await none.subjectOf(await issuer.token('alice'))).toBeUndefined();
    expect(issuer.asked).toEqual({});
  });
});

describe('the issuer’s keys', () => {
  it('are fetched once for many tokens, and only for tokens that could be good', async () => {
    const { issuer, subjectOf } = await anInstallation();
    await subjectOf('a.b.c');
    await subjectOf(`${part({ alg: 'none' })}.${part({})}.`);
    expect(issuer.asked).toEqual({});
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => issuer.token(`user ${at}`)));
    expect(new Set(await Promise.all(tokens.map(subjectOf))).size).toBe(20);
    expect(issuer.asked).toEqual({ '/.well-known/openid-configuration': 1, '/keys': 1 });
  });

  it('are fetched again for a key that is new, but not for each key that somebody makes up', async () => {
    const { issuer, subjectOf } = await anInstallation();
    await subjectOf(await issuer.token('alice'));
    const unknown = await Promise.all(Array.from({ length: 10 }, () => aSigningKey()));
    for (const key of unknown)
      expect(await subjectOf(await issuer.token('mallory', {}, key))).toBeUndefined();
    expect(issuer.asked['/keys']).toBe(1);
  });

  it.each<[string, Issuer['answer']]>([
    [
      'answers with an error',
      (_, response) => {
        response.writeHead(500).end();
        return true;
      },
    ],
    [
      'hangs up',
      (_, response) => {
        response.destroy();
        return true;
      },
    ],
    [
      'answers with something else',
      (_, response) => {
        response.end('<html>');
        return true;
      },
    ],
    [
      'names another issuer',
      (path, response) => {
        if (path === '/keys') return false;
        response.end(
          JSON.stringify({ issuer: 'https://elsewhere.example', jwks_uri: 'https://elsewhere.example' }),
        );
        return true;
      },
    ],
    [
      'has keys that come without TLS',
      (path, response) => {
        if (path === '/keys') return false;
        const issuer = `http://${response.req.headers.host}`;
        response.end(JSON.stringify({ issuer, jwks_uri: 'http://keys.example/' }));
        return true;
      },
    ],
    [
      'has no keys',
      (path, response) => {
        if (path !== '/keys') return false;
        response.end('{}');
        return true;
      },
    ],
  ])('are missing when the issuer %s: 503 until it answers', async (_, answer) => {
    const { issuer, subjectOf, wait } = await anInstallation();
    issuer.answer = answer;
    const token = await issuer.token('alice');
    expect(await refusedWith(subjectOf(token))).toBe(UNAVAILABLE);
    issuer.answer = undefined;
    wait(MINUTE);
    expect(await subjectOf(token)).toBe('alice');
  });

  it('are not asked for again at once when the issuer does not answer', async () => {
    const { issuer, subjectOf, wait } = await anInstallation();
    const token = await issuer.token('alice');
    issuer.answer = (path, response) => {
      if (path === '/keys') response.writeHead(500).end();
      return path === '/keys';
    };
    for (let n = 0; n < 5; n++) expect(await refusedWith(subjectOf(token))).toBe(UNAVAILABLE);
    expect(issuer.asked['/keys']).toBe(1);
    issuer.answer = undefined;
    wait(MINUTE);
    expect(await subjectOf(token)).toBe('alice');
    expect(issuer.asked['/keys']).toBe(2);
  });

  it('are looked for anew when their issuer has moved them', async () => {
    const { issuer, subjectOf, wait } = await anInstallation();
    expect(await subjectOf(await issuer.token('alice'))).toBe('alice');
    const next = await aSigningKey('RS256');
    await issuer.publish(next);
    wait(61 * MINUTE);
    const exp = Math.floor(Date.now() / 1000) + 7200;
    expect(await subjectOf(await issuer.token('alice', { exp }, next))).toBe('alice');
    expect(await subjectOf(await issuer.token('alice', { exp }))).toBeUndefined();
  });
});
