import { describe, expect, it } from 'vitest';
import { routes } from '../../../lib/contract/routes/index.ts';
import { createRouter } from '../../../lib/embedded/gateway/router.ts';

const route = createRouter(routes);
const found = (path: string, method = 'GET') => {
  const { row, pathParameters } = route(method, path);
  return [row?.operation, pathParameters];
};

describe('HEAD', () => {
  it('leads where GET leads, for what only reads', () => {
    for (const path of [
      '/ok',
      '/openapi.json',
      '/docs',
      '/console',
      '/console/deployments',
      '/',
      '/v2/deployments',
    ])
      expect([path, ...found(path, 'HEAD')]).toEqual([path, ...found(path)]);
    expect(found('/v2/deployments/a', 'HEAD')).toEqual(['getDeployment', { deployment_id: 'a' }]);
  });

  it('leads nowhere that holds a connection, uses something up, hands a secret out or is audited', () => {
    const id = 'a';
    for (const path of [
      '/v2/events',
      `/v2/deployments/${id}/revisions/${id}/logs`,
      `/v2/auth/wait/${id}`,
      `/v2/auth/begin/${id}`,
      `/v2/auth/callback/${id}`,
      `/host-oauth-callback/${id}`,
      `/v2/listeners/${id}/deployments/${id}/spec`,
      `/v2/listeners/${id}/desired`,
    ]) {
      expect([path, found(path)[0]]).toEqual([path, expect.any(String)]);
      expect([path, found(path, 'HEAD')[0]]).toEqual([path, undefined]);
    }
  });
});

describe('a greedy part of a path', () => {
  it.each([
    ['/console/deployments', 'deployments'],
    ['/console/deployments/1/logs/', 'deployments/1/logs'],
    ['/console/assets/a%20b.js', 'assets/a b.js'],
  ])('takes all that is left of %s', (path, proxy) => {
    expect(found(path)).toEqual(['getConsolePart', { proxy }]);
  });

  it('takes one part at least, and yields to what fits as a whole', () => {
    expect(found('/console')).toEqual(['getConsole', {}]);
    expect(found('/console/')).toEqual(['getConsole', {}]);
    expect(found('/')).toEqual(['getHome', {}]);
    expect(found('/docs')).toEqual(['getDocs', {}]);
    expect(found('/consoles/x')).toEqual([undefined, {}]);
    expect(found('/console/x', 'POST')).toEqual([undefined, {}]);
  });
});
