import { afterAll, beforeAll, expect, it, vi } from 'vitest';

// In this file no endpoint authorises: the loop has to say so of each. Files share their modules, so everything is loaded anew, and again after it.
beforeAll(() => {
  vi.resetModules();
  vi.doMock(import('../../../lib/http/authorization.ts'), () => ({
    authorization: () => ({ before: () => undefined }),
  }));
});
afterAll(() => {
  vi.doUnmock('../../../lib/http/authorization.ts');
  vi.resetModules();
});

it('without authorization the loop finds every route, in each role that lacks its permission', async () => {
  const { allows, roles } = await import('../../../lib/contract/roles.ts');
  const { routes } = await import('../../../lib/contract/routes.ts');
  const { handlerOf, isGuarded, roleFindingsOf } = await import('../../support/security-loop.ts');
  const { aSecurityWorld } = await import('../../support/security-world.ts');
  const world = await aSecurityWorld();
  const guarded = routes.filter(isGuarded);
  const letIn = await Promise.all(
    guarded.map(async (row) => {
      const findings = await roleFindingsOf(row, await handlerOf(row, world.deps), world);
      return [row.operation, findings.map((finding) => /^(\w+): (?!403)/.exec(finding)?.[1])] as const;
    }),
  );
  const lacking = guarded.map((row) => [
    row.operation,
    roles.filter((role) => !allows(role, row.permission)),
  ]);
  expect(lacking.length).toBeGreaterThan(40);
  expect(Object.fromEntries(letIn)).toEqual(Object.fromEntries(lacking));
}, 120_000);
