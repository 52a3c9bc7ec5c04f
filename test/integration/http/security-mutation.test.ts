import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as rolesModule from '../../../lib/contract/roles.ts';
import type * as routesModule from '../../../lib/contract/routes/index.ts';
import { type FreshModules, freshModules } from '../../support/aws/fresh-modules.ts';
import type * as loopModule from '../../support/http/security-loop.ts';
import type * as worldModule from '../../support/world/security-world.ts';

/** In these no endpoint authorises: the loop has to say so of each. */
let careless: FreshModules;
beforeAll(() => {
  careless = freshModules({
    'lib/http/authorization.ts': 'export const authorization = () => ({ before: () => undefined });',
  });
});
afterAll(() => careless.close());

it('without authorization the loop finds every route, in each role that lacks its permission', async () => {
  const { allows, roles } = await careless.load<typeof rolesModule>('lib/contract/roles.ts');
  const { routes } = await careless.load<typeof routesModule>('lib/contract/routes/index.ts');
  const loop = await careless.load<typeof loopModule>('test/support/http/security-loop.ts');
  const { aSecurityWorld } = await careless.load<typeof worldModule>('test/support/world/security-world.ts');
  const world = await aSecurityWorld();
  const guarded = routes.filter(loop.isGuarded);
  const letIn = await Promise.all(
    guarded.map(async (row) => {
      const findings = await loop.roleFindingsOf(row, await loop.handlerOf(row, world.deps), world);
      return [row.operation, findings.map((finding) => /^(\w+): (?!403)/.exec(finding)?.[1])] as const;
    }),
  );
  // Where no tenant needs to be picked, the use case itself judges the credential.
  const judgedHere = (row: (typeof guarded)[number]) => row.tenantOptional === undefined;
  const lacking = guarded.map((row) => [
    row.operation,
    judgedHere(row) ? roles.filter((role) => !allows(role, row.permission)) : [],
  ]);
  expect(lacking.length).toBeGreaterThan(40);
  expect(Object.fromEntries(letIn)).toEqual(Object.fromEntries(lacking));
});
