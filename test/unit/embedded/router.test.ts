import { describe, expect, it } from 'vitest';
import { routes } from '../../../lib/contract/routes/index.ts';
import { createRouter } from '../../../lib/embedded/gateway/router.ts';

const route = createRouter(routes);
const found = (path: string, method = 'GET') => {
  const { row, pathParameters } = route(method, path);
  return [row?.operation, pathParameters];
};

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
