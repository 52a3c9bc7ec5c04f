import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { allows, roles } from '../../../lib/contract/roles.ts';
import { routes } from '../../../lib/contract/routes.ts';
import { findingsOf, handlerOf, isGuarded } from '../../support/security-loop.ts';
import { aSecurityWorld } from '../../support/security-world.ts';

// In this file no endpoint authorises: the loop has to say so of each.
vi.mock(import('../../../lib/http/authorization.ts'), () => ({
  authorization: () => ({ before: () => undefined }),
}));

beforeAll(() => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
});
afterAll(() => vi.unstubAllEnvs());

it('without authorization the loop finds every route', async () => {
  const world = await aSecurityWorld();
  for (const row of routes.filter(isGuarded)) {
    const findings = await findingsOf(row, await handlerOf(row, world.deps), world);
    const [role] = roles.filter((each) => !allows(each, row.permission));
    const words = expect.stringMatching(new RegExp(`^${role}: (?!403)`));
    expect([row.operation, findings]).toEqual([row.operation, expect.arrayContaining([words])]);
  }
}, 120_000);
