import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { gateway } from '../../support/http/gateway.ts';

describe('events', () => {
  it('are complete', async () => {
    const { url, port, seen } = await gateway();
    await fetch(`${url}/v2/things/a%20b/parts/c?x=1&x=2&y=%26&empty=`, {
      method: 'POST',
      body: '{"a":"ü"}',
      headers: {
        'X-Api-Key': 'k',
        'content-type': 'application/json',
        cookie: 'a=1; b=2',
        'user-agent': 'u',
      },
    });
    const { event, row: found, context } = seen[0] ?? {};
    expect(found?.path).toBe('/v2/things/{thing_id}/parts/{part_id}');
    expect(event).toEqual({
      version: '2.0',
      routeKey: 'POST /v2/things/{thing_id}/parts/{part_id}',
      rawPath: '/v2/things/a%20b/parts/c',
      rawQueryString: 'x=1&x=2&y=%26&empty=',
      cookies: ['a=1', 'b=2'],
      headers: expect.objectContaining({
        'x-api-key': 'k',
        'content-type': 'application/json',
        host: `127.0.0.1:${port}`,
        'x-forwarded-proto': 'http',
        'x-forwarded-for': '127.0.0.1',
      }),
      queryStringParameters: { x: '1,2', y: '&', empty: '' },
      pathParameters: { thing_id: 'a b', part_id: 'c' },
      body: '{"a":"ü"}',
      isBase64Encoded: false,
      requestContext: {
        accountId: expect.any(String),
        apiId: expect.any(String),
        domainName: `localhost:${port}`,
        domainPrefix: 'localhost',
        http: {
          method: 'POST',
          path: '/v2/things/a%20b/parts/c',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'u',
        },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        routeKey: 'POST /v2/things/{thing_id}/parts/{part_id}',
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        timeEpoch: expect.any(Number),
      },
    });
    expect(event?.headers).not.toHaveProperty('cookie');
    expect(context?.getRemainingTimeInMillis()).toBeGreaterThan(0);
  });

  it('have no key for what the request did not have', async () => {
    const { url, seen } = await gateway();
    await fetch(`${url}/v2/things`);
    expect(Object.keys(seen[0]?.event ?? {}).toSorted()).toEqual(
      [
        'headers',
        'isBase64Encoded',
        'rawPath',
        'rawQueryString',
        'requestContext',
        'routeKey',
        'version',
      ].toSorted(),
    );
  });

  it('join repeated headers, and carry binary bodies in base64', async () => {
    const { port, seen } = await gateway();
    const bytes = Buffer.from([0, 255, 254, 1]);
    await new Promise<void>((resolve, reject) => {
      const headers = { 'content-type': 'application/gzip', 'x-list': ['a', 'b'] };
      const sent = httpRequest(
        { port, host: '127.0.0.1', method: 'POST', path: '/v2/things', headers },
        (response) => {
          response.resume().once('end', resolve);
        },
      );
      sent.once('error', reject);
      sent.end(bytes);
    });
    expect(seen[0]?.event.headers['x-list']).toBe('a,b');
    expect(seen[0]?.event).toMatchObject({ isBase64Encoded: true, body: bytes.toString('base64') });
  });
});

describe('routes', () => {
  it.each([
    ['GET', '/v2/things/special', 'GET /v2/things/special'],
    ['GET', '/v2/things/other', 'GET /v2/things/{thing_id}'],
    ['GET', '/v2/things/', 'GET /v2/things'],
    ['PUT', '/v2/things', '$default'],
    ['HEAD', '/v2/things', 'HEAD /v2/things'],
    ['HEAD', '/v2/things/a/parts/b', '$default'],
    ['OPTIONS', '/v2/things', '$default'],
    ['GET', '/nothing', '$default'],
    ['GET', '/', '$default'],
    ['GET', '/v2/things/100%', 'GET /v2/things/{thing_id}'],
  ])('%s %s is %s', async (method, path, routeKey) => {
    const { url, seen } = await gateway();
    await fetch(url + path, { method });
    expect(seen[0]?.event.routeKey).toBe(routeKey);
  });

  it('answer under /api-host too, as a stage that the path carries', async () => {
    const { url, seen } = await gateway();
    await fetch(`${url}/api-host/v2/things/x?a=1`);
    await fetch(`${url}/api-hosts/v2/things/x`);
    expect(seen[0]?.event).toMatchObject({
      routeKey: 'GET /v2/things/{thing_id}',
      rawPath: '/api-host/v2/things/x',
      pathParameters: { thing_id: 'x' },
      requestContext: { stage: 'api-host' },
    });
    expect(seen[1]?.event.routeKey).toBe('$default');
  });

  it('leave /blobs/ to its own server', async () => {
    const { url, seen } = await gateway(undefined, {
      serveBlob: async (request, response) => {
        if (!request.url?.startsWith('/blobs/')) return false;
        response.end('bytes');
        return true;
      },
    });
    const blob = await fetch(`${url}/blobs/a`);
    expect(await blob.text()).toBe('bytes');
    expect(blob.headers.get('x-content-type-options')).toBe('nosniff');
    expect(seen).toEqual([]);
  });
});

describe('answers', () => {
  it('carry status, headers, cookies and body', async () => {
    const { url } = await gateway(async () => ({
      statusCode: 201,
      headers: { ETag: '"1"', 'x-number': 7 },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from('hé').toString('base64'),
      isBase64Encoded: true,
    }));
    const response = await fetch(`${url}/v2/things`);
    expect(response.status).toBe(201);
    expect(response.headers.get('etag')).toBe('"1"');
    expect(response.headers.get('x-number')).toBe('7');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe('hé');
  });

  it('of a handler that throws are a 500 that says nothing of it', async () => {
    const { url, errors } = await gateway(async () => {
      throw new Error('secret');
    });
    const response = await fetch(`${url}/v2/things`);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ detail: 'Internal server error', code: 'internal' });
    expect(errors).toHaveLength(1);
  });

  it('to more than 6 MiB are 413, announced or not', async () => {
    const { url, seen } = await gateway();
    const body = 'x'.repeat(6 * 1024 * 1024 + 1);
    const announced = await fetch(`${url}/v2/things`, { method: 'POST', body });
    expect(announced.status).toBe(413);
    const problem = { detail: 'Request body is larger than 6291456 bytes.', code: 'body_too_large' };
    expect(await announced.json()).toEqual(problem);
    const stream = new Blob([body]).stream();
    const chunked = await fetch(`${url}/v2/things`, { method: 'POST', body: stream, duplex: 'half' });
    expect(chunked.status).toBe(413);
    expect(await chunked.json()).toEqual(problem);
    const largest = await fetch(`${url}/v2/things`, { method: 'POST', body: body.slice(1) });
    expect(largest.status).toBe(200);
    expect(seen).toHaveLength(1);
  });
});

it('says that its port is taken', async () => {
  const { port } = await gateway();
  await expect(gateway(undefined, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
