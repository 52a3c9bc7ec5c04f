import { expect, it } from 'vitest';
import { exchange, jobToken, makeRule, withCi } from '../../support/oauth/ci.ts';
import { anOrganization, makeTenant } from '../../support/world/identity-requests.ts';
import { refusedWith } from '../../support/world/requests.ts';

it('a rule takes no job that the rule of another organization does not take, unless its tenant is named', async () => {
  const { world, issuer, admin } = await withCi();
  const stranger = await anOrganization(world);
  await makeRule(admin, { ref: 'refs/heads/main' });
  await makeRule(stranger, {});
  const token = await jobToken(issuer, { ref: 'refs/heads/next' });
  expect(await refusedWith(exchange(world, token))).toMatch(/^400 Rules of several tenants are about/);
  expect(await refusedWith(exchange(world, token, { tenant_id: admin.caller.tenantId }))).toContain(
    "'ref' (refs/heads/next)",
  );
  const { id: tenantId } = await makeTenant(admin, 'previews');
  await makeRule(world.as({ ...admin.caller, tenantId }), { ref: 'refs/heads/other', repository_id: '2' });
  await makeRule(admin, { ref: 'refs/heads/main', repository_id: '2' });
  const other = await jobToken(issuer, { repository_id: '2', ref: 'refs/heads/other' });
  expect(await exchange(world, other)).toMatchObject({ tenant_id: tenantId });
});
