import { createServer, type ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { onLoopback } from '../http/loopback-server.ts';

export const AUDIENCE = 'slipway';

export type SigningKey = { kid: string; alg: string; privateKey: CryptoKey; publicKey: CryptoKey };

/** An identity provider on this machine: its discovery document and its keys, by HTTP. */
export type Issuer = {
  url: string;
  key: SigningKey;
  /** How often each path was asked for. */
  asked: Record<string, number>;
  /** What it answers instead; undefined: what is right. */
  answer: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** From now on the published keys are these. */
  publish(...keys: SigningKey[]): Promise<void>;
  /** A token of a user, signed with the issuer's key; `changes` are claims, undefined ones left out. */
  token(subject: string, changes?: Record<string, unknown>, key?: SigningKey, typ?: string): Promise<string>;
};

export async function aSigningKey(alg = 'ES256', kid: string = crypto.randomUUID()): Promise<SigningKey> {
  return { kid, alg, ...(await generateKeyPair(alg, { extractable: true })) };
}

const publicPart = async ({ kid, alg, publicKey }: SigningKey): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  kid,
  alg,
  use: 'sig',
});

const DISCOVERY = '/.well-known/openid-configuration';

/** `now`: the clock that its tokens are made by, of whoever reads them where that is not the machine's. */
export async function anIssuer(now: () => number = Date.now): Promise<Issuer> {
  const key = await aSigningKey();
  let published = [await publicPart(key)];
  const server = createServer(({ url: path = '' }, response) => {
    issuer.asked[path] = (issuer.asked[path] ?? 0) + 1;
    if (issuer.answer?.(path, response) === true) return;
    const document = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
    const content = { [DISCOVERY]: document, '/keys': { keys: published } }[path];
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content ?? {}));
  });
  const { port, close } = await onLoopback(server);
  onTestFinished(close);
  const issuer: Issuer = {
    url: `http://127.0.0.1:${port}`,
    key,
    asked: {},
    answer: undefined,
    async publish(...keys) {
      published = await Promise.all(keys.map(publicPart));
    },
    token: (subject, changes = {}, by = key, typ) => {
      const seconds = Math.floor(now() / 1000);
      const usual = { iss: issuer.url, aud: AUDIENCE, sub: subject, iat: seconds, exp: seconds + 300 };
      const claims = Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== undefined);
      const payload: JWTPayload = Object.fromEntries(claims);
      const header = { alg: by.alg, kid: by.kid, ...(typ !== undefined && { typ }) };
      return new SignJWT(payload).setProtectedHeader(header).sign(by.privateKey);
    },
  };
  return issuer;
}
