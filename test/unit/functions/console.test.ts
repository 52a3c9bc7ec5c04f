import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { create as createOpen } from '../../../functions/api/console/open.ts';
import { create as createPage } from '../../../functions/api/console/page.ts';
import type { ConsoleFiles } from '../../../lib/adapters/console-files.ts';
import { apiEvent, type EventParts, lambdaContext } from '../../support/http/event.ts';

const SCRIPT = 'console.log("ü")';
const consoleFiles: ConsoleFiles = {
  entry: async () => ({
    script: 'main-A.js',
    style: 'main-B.css',
    imports: ['chunk-C.js'],
    sessionWorker: 'session-worker-D.js',
  }),
  read: async (name) =>
    ['main-A.js', 'session-worker-D.js'].includes(name)
      ? { contentType: 'text/javascript', brotli: brotliCompressSync(SCRIPT) }
      : undefined,
};
const signIn = {
  issuer: 'https://id.example/realm',
  clientId: 'c',
  audience: 'slipway',
  tokenEndpoint: 'https://t.example/token',
};
const page = createPage(() => ({
  consoleFiles,
  signIn,
  uploadOrigin: 'https://bucket.example',
  agentOrigins: (baseUrl) => (baseUrl.includes('/api-host') ? [] : ['https://*.agents.example']),
}));
const ask = (proxy: string | undefined, parts: EventParts = {}) =>
  page(
    apiEvent({
      path: `/console/${proxy ?? ''}`,
      ...(proxy !== undefined && { params: { proxy } }),
      ...parts,
    }),
    lambdaContext(),
  );
const headersOf = async (asked: ReturnType<typeof ask>) => (await asked).headers ?? {};

describe('the console', () => {
  it.each([undefined, 'deployments', 'deployments/0190a000-0000-7000-8000-000000000001/logs'])(
    'is one page for every place in it: %s',
    async (proxy) => {
      const { statusCode, headers, body = '' } = await ask(proxy);
      expect([statusCode, headers?.['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers?.['Cache-Control']).toBe('no-cache');
      const named = [...body.matchAll(/(?:src|href)="(\/console[^"]*)"/g)].map(([, path]) => path);
      expect(named).toEqual(
        ['main-B.css', 'chunk-C.js', 'main-A.js'].map((file) => `/console/assets/${file}`),
      );
      expect(body.replace('content="https://*.agents.example"', '')).not.toMatch(
        /<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:/,
      );
    },
  );

  it('names its files from the root of the host', async () => {
    const { body = '' } = await ask(undefined, { stage: 'api-host' });
    expect(body).toContain('src="/api-host/console/assets/main-A.js"');
  });

  it('may load our own files alone, talks to us, the issuer, where uploads go and agents, and is in no frame', async () => {
    const policy = String((await headersOf(ask(undefined)))['Content-Security-Policy']).split('; ');
    expect(policy).toContain(
      "connect-src 'self' https://id.example https://t.example https://bucket.example https://*.agents.example",
    );
    const elsewhere = await headersOf(ask(undefined, { stage: 'api-host' }));
    expect(elsewhere['Content-Security-Policy']).not.toContain('agents');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy.join().replace('https://*.agents.example', '')).not.toMatch(/unsafe|\*/);
  });

  it('sends its files compressed, for ever, and as they are to who does not take that', async () => {
    const compressed = await ask('assets/main-A.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(compressed).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(compressed.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'Content-Encoding': 'br',
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    });
    expect(compressed.body).toBe(brotliCompressSync(SCRIPT).toString('base64'));
    const plain = await ask('assets/main-A.js');
    expect(plain.headers).not.toHaveProperty('Content-Encoding');
    expect(Buffer.from(plain.body ?? '', 'base64').toString()).toBe(SCRIPT);
  });

  it('has the worker at an address of its own, which is asked anew', async () => {
    const { statusCode, headers } = await ask('session-worker.js');
    expect([statusCode, headers?.['content-type'], headers?.['Cache-Control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'no-cache',
    ]);
  });

  it.each(['assets/main-OLD.js', 'assets/', 'assets/../entry.json'])('has no %s', async (proxy) => {
    expect(await ask(proxy)).toMatchObject({
      statusCode: 404,
      body: '{"detail":"Not found.","code":"path_not_found"}',
    });
  });
});

it('clients lead people to the page of a deployment, whatever its address holds', async () => {
  const params = { tenant_id: 'a&b', deployment_id: 'a/../b' };
  const answer = await createOpen(() => ({}))(apiEvent({ path: '/o', params }), lambdaContext());
  expect([answer.statusCode, new URL(String(answer.headers?.Location)).pathname]).toEqual([
    302,
    '/console/deployments/a%2F..%2Fb',
  ]);
});
