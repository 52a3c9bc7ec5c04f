import { describe, expect, it } from 'vitest';
import { gateway } from '../../support/http/gateway.ts';

const CONSOLE = 'https://console.example';

async function open(corsOrigins: string[]) {
  const { url, seen } = await gateway(undefined, { corsOrigins });
  const ask = async (method: string, headers: Record<string, string>, path = '/v2/things') => {
    const { status, headers: answered } = await fetch(url + path, { method, headers });
    const cors = [...answered].filter(([name]) => name.startsWith('access-control-') || name === 'vary');
    return { status, cors: Object.fromEntries(cors), requestId: answered.get('x-request-id') };
  };
  return { ask, seen };
}

const preflight = (origin: string) => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key,content-type',
});

describe('a page of an allowed origin', () => {
  it('is told before it asks what it may send, without a key and without a handler', async () => {
    const { ask, seen } = await open([CONSOLE]);
    for (const path of ['/v2/things', '/api-host/v2/things', '/nothing']) {
      expect(await ask('OPTIONS', preflight(CONSOLE), path)).toEqual({
        status: 204,
        cors: {
          'access-control-allow-origin': CONSOLE,
          'access-control-allow-methods': 'GET,POST',
          'access-control-allow-headers':
            'authorization,content-type,idempotency-key,if-match,if-none-match,last-event-id,x-api-key,x-tenant-id',
          'access-control-max-age': '3600',
          vary: 'Origin',
        },
        requestId: expect.any(String),
      });
    }
    expect(seen).toEqual([]);
  });

  it('may read answers, and the headers that mean something, errors included', async () => {
    const { ask } = await open([CONSOLE]);
    const cors = {
      'access-control-allow-origin': CONSOLE,
      'access-control-expose-headers':
        'etag,idempotent-replayed,retry-after,x-request-id,x-slipway-ignored,x-slipway-version',
      vary: 'Origin',
    };
    expect(await ask('GET', { origin: CONSOLE })).toMatchObject({ status: 200, cors });
    const { url } = await gateway(
      async () => {
        throw new Error('broken');
      },
      { corsOrigins: [CONSOLE] },
    );
    const failed = await fetch(`${url}/v2/things`, { headers: { origin: CONSOLE } });
    expect([failed.status, failed.headers.get('access-control-allow-origin')]).toEqual([500, CONSOLE]);
  });
});

it('any port of a host is meant by *, and nothing else', async () => {
  const { ask } = await open(['http://localhost:*']);
  const allowed = async (origin: string) =>
    (await ask('GET', { origin })).cors['access-control-allow-origin'];
  expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
  expect(await allowed('http://localhost')).toBe('http://localhost');
  for (const other of [
    'https://localhost:5173',
    'http://localhost.example:1',
    'http://evil.example',
    'null',
  ]) {
    expect([other, await allowed(other)]).toEqual([other, undefined]);
  }
});

it('all origins are told the same', async () => {
  const { ask } = await open(['*']);
  expect((await ask('GET', { origin: CONSOLE })).cors).toMatchObject({ 'access-control-allow-origin': '*' });
});

describe('nothing is said', () => {
  it('to an origin that is not allowed, whose preflight still ends at the gateway', async () => {
    const { ask, seen } = await open([CONSOLE]);
    const other = 'https://other.example';
    expect(await ask('OPTIONS', preflight(other))).toMatchObject({ status: 204, cors: { vary: 'Origin' } });
    expect(seen).toEqual([]);
    expect(await ask('GET', { origin: other })).toMatchObject({ status: 200, cors: { vary: 'Origin' } });
  });

  it('where no origin is allowed, or none asks', async () => {
    const { ask } = await open([]);
    expect(await ask('GET', { origin: CONSOLE })).toMatchObject({ status: 200, cors: {} });
    const { ask: askPlainly, seen } = await open([CONSOLE]);
    expect(await askPlainly('GET', {})).toMatchObject({ status: 200, cors: {} });
    // No browser's question: it goes the way of every request.
    await askPlainly('OPTIONS', { origin: CONSOLE });
    expect(seen.at(-1)?.event.routeKey).toBe('$default');
  });
});
