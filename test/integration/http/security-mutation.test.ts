import { afterAll, beforeAll, expect, it, vi } from 'vitest';

// In this file no endpoint authorises: the loop has to say so of each. Files share their modules, so everything is loaded anew, and again after it.
beforeAll(() => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
  vi.resetModules();
  vi.doMock(import('../../../lib/http/authorization.ts'), () => ({
    authorization: () => ({ before: () => undefined }),
  }));
});
afterAll(() => {
  vi.doUnmock('../../../lib/http/authorization.ts');
  vi.resetModules();
  vi.unstubAllEnvs();
});

it('without authorization the loop finds each kind of route', async () => {
  const { allows, roles } = await import('../../../lib/contract/roles.ts');
  const { routes } = await import('../../../lib/contract/routes.ts');
  const { findingsOf, handlerOf, isGuarded } = await import('../../support/security-loop.ts');
  const { aSecurityWorld } = await import('../../support/security-world.ts');
  const world = await aSecurityWorld();
  // One of each permission in each area: loading every function anew would take longer than all the loop.
  const guarded = routes.filter(isGuarded);
  const sample = [...Map.groupBy(guarded, ({ area, permission }) => `${area} ${permission}`).values()];
  expect(sample.length).toBeGreaterThan(10);
  for (const row of sample.flatMap(([first]) => first ?? [])) {
    const findings = await findingsOf(row, await handlerOf(row, world.deps), world);
    const [role] = roles.filter((each) => !allows(each, row.permission));
    const words = expect.stringMatching(new RegExp(`^${role}: (?!403)`));
    expect([row.operation, findings]).toEqual([row.operation, expect.arrayContaining([words])]);
  }
}, 120_000);
