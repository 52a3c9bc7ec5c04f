import { describe, expect, it } from 'vitest';
import { handler } from '../../../functions/api/fallback.ts';
import { apiEvent, lambdaContext } from '../../support/http/event.ts';

const ask = (method: string, path: string, stage = '$default') =>
  handler(apiEvent({ method, path, stage, routeKey: '$default', requestId: 'r-1' }), lambdaContext());

describe('what no route takes', () => {
  it.each(['/', '/v2', '/v2/nope', '/v2/deployments/a/b/c', '/v2/deploymentsX', '/v2xdeployments'])(
    '%s is 404',
    async (path) => {
      expect(await ask('GET', path)).toMatchObject({
        statusCode: 404,
        body: '{"detail":"Not found.","code":"path_not_found"}',
        headers: { 'x-request-id': 'r-1', 'content-type': 'application/json' },
      });
    },
  );

  it('is 405 where the path is known, with the methods it has', async () => {
    expect(await ask('PUT', '/v2/deployments')).toMatchObject({
      statusCode: 405,
      headers: { allow: 'DELETE, GET, HEAD, POST' },
      body: '{"detail":"Method PUT is not allowed here; allowed: DELETE, GET, HEAD, POST.","code":"method_not_allowed"}',
    });
    expect(await ask('POST', '/v2/deployments/some-id')).toMatchObject({
      headers: { allow: 'DELETE, GET, HEAD, PATCH' },
    });
  });

  it('names the methods of this very path, not those of a parameter in its place', async () => {
    const allowedAt = async (path: string) => (await ask('PUT', path)).headers?.allow;
    expect(await allowedAt('/v2/auth/tokens/exists')).toBe('GET, HEAD');
    expect(await allowedAt('/v2/auth/tokens/some-id')).toBe('DELETE');
    expect(await allowedAt('/v2/auth/providers/mcp-discover')).toBe('POST');
    expect(await allowedAt('/console')).toBe('GET, HEAD');
    expect(await allowedAt('/v2/events')).toBe('GET');
  });

  it('has no body for HEAD, and says how long it would be', async () => {
    const answer = await ask('HEAD', '/v2/nope');
    expect([answer.statusCode, answer.body, answer.headers?.['content-length']]).toEqual([404, '', '47']);
    expect((await ask('HEAD', '/v2/events')).statusCode).toBe(405);
  });

  it('looks behind the name of a stage', async () => {
    expect(await ask('DELETE', '/api-host/ok', 'api-host')).toMatchObject({ statusCode: 405 });
    expect(await ask('DELETE', '/api-host/ok')).toMatchObject({ statusCode: 404 });
  });
});
