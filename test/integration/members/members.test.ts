import { describe, expect, it } from 'vitest';
import { oidcProvider } from '../../../lib/adapters/identity-provider.ts';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { memberIdOf } from '../../../lib/core/items/members.ts';
import { showMe } from '../../../lib/features/console/me.ts';
import { AUDIENCE, anIssuer } from '../../support/oauth/issuer.ts';
import {
  anOrganization,
  giveRole,
  makeKey,
  makeTenant,
  members,
  takeRole,
  tenants,
  withKey,
} from '../../support/world/identity-requests.ts';
import { github, list, post, refusal, refusedWith, register } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

/** An organization whose people come from an identity provider. */
async function withPeople() {
  const world = await aWorld();
  const issuer = await anIssuer();
  world.deps.identityProvider = oidcProvider({ issuer: issuer.url, audience: AUDIENCE }, Date.now);
  const admin = await anOrganization(world);
  const known = (authorization: string, tenantId: string | undefined) =>
    authenticateCaller(world.deps, { apiKey: undefined, authorization, tenantId });
  const person = async (name: string, tenantId: string | undefined = admin.caller.tenantId) =>
    known(`Bearer ${await issuer.token(name)}`, tenantId);
  return { world, issuer, admin, known, person };
}

const noPart = (tenant: string) => `403 The user has no access to tenant '${tenant}'`;

const ABOVE = ", which the role 'organization_admin' holds: only who has it can give or take that role";

describe('GET /v2/me of a member', () => {
  const setting = async () => {
    const all = await withPeople();
    const { world, issuer } = all;
    const me = async (name: string, tenantId?: string) => {
      const authorization = `Bearer ${await issuer.token(name)}`;
      return showMe(world.deps, { apiKey: undefined, authorization, tenantId }, { note: () => undefined });
    };
    return { ...all, me };
  };

  it('needs no tenant to be named: who is a member of one acts there, who is of several chooses', async () => {
    const { world, admin, me } = await setting();
    const { tenantId, organizationId } = admin.caller;
    await giveRole(admin, 'alice', 'developer');
    const one = await me('alice');
    expect(one).toMatchObject({ tenant_id: tenantId, organization_id: organizationId, role: 'developer' });
    expect(one.tenants).toEqual([{ id: tenantId, name: 'main' }]);
    const other = await anOrganization(world);
    await giveRole(other, 'alice', 'viewer');
    const two = await me('alice');
    expect(two).toMatchObject({ tenant_id: null, organization_id: null, role: null, key_id: null });
    expect(two.permissions).toEqual(['self:read']);
    expect(two.tenants.map(({ id }) => id)).toEqual([other.caller.tenantId, tenantId]);
    expect(await me('alice', tenantId)).toMatchObject({ role: 'developer', tenants: two.tenants });
    expect(await me('alice', other.caller.tenantId)).toMatchObject({ role: 'viewer' });
  });

  it('shows no tenant any more where they were removed, and refuses who is a member of none', async () => {
    const { admin, me } = await setting();
    const { tenantId } = admin.caller;
    expect(await refusedWith(me('alice'))).toContain('403 The user is a member of no tenant');
    const { id } = await giveRole(admin, 'alice', 'developer');
    await takeRole(admin, id);
    expect(await refusedWith(me('alice'))).toContain('403 The user is a member of no tenant');
    expect(await refusedWith(me('alice', tenantId))).toBe(noPart(tenantId));
    await giveRole(admin, 'alice', 'viewer');
    expect(await me('alice')).toMatchObject({ role: 'viewer', tenant_id: tenantId });
    expect(await refusedWith(me('bob'))).toContain('403 The user is a member of no tenant');
  });
});

describe('a member', () => {
  it('asks with a bearer token, as themselves, in the role they have in the tenant they name', async () => {
    const { admin, person } = await withPeople();
    const { tenantId, organizationId } = admin.caller;
    const made = await giveRole(admin, 'auth0|alice', 'developer');
    expect(made).toEqual({
      id: memberIdOf('auth0|alice'),
      user_id: 'auth0|alice',
      role: 'developer',
      created_at: expect.any(String),
    });
    const caller = await person('auth0|alice', tenantId.toUpperCase());
    const expected = { tenantId, organizationId, userId: 'auth0|alice', role: 'developer' };
    expect(caller).toEqual({
      ...expected,
      keyId: 'bearer',
      listenerId: undefined,
      maker: { kind: 'bearer' },
      actor: { kind: 'person', name: 'auth0|alice' },
    });
    await register(admin, 'machine');
    const alice: World = { ...admin, caller };
    const { id } = await post(alice, github('a'));
    expect((await list(admin)).resources.map((one) => one.id)).toEqual([id]);
    const created = (await allItems(admin.deps.table)).find((item) => item.entity === 'deployment');
    expect(created?.created_by).toBe('auth0|alice');
  });

  it('has to name a tenant, and a part in it', async () => {
    const { world, admin, person } = await withPeople();
    const other = await anOrganization(world);
    await giveRole(admin, 'alice', 'admin');
    await giveRole(other, 'bob', 'admin');
    const { tenantId } = admin.caller;
    await person('alice');
    const { deps } = world;
    expect(await refusedWith(person('bob'))).toBe(noPart(tenantId));
    expect(await refusedWith(person('Alice'))).toBe(noPart(tenantId));
    for (const asked of [
      other.caller.tenantId,
      deps.clock.randomId(),
      '',
      'x',
      `${tenantId}#M`,
      'x'.repeat(5000),
    ]) {
      expect(await refusedWith(person('alice', asked))).toBe(noPart(asked));
    }
  });

  it('of one tenant need not name it, of several has to, and of none is told so', async () => {
    const { world, admin, known, issuer } = await withPeople();
    const other = await anOrganization(world);
    const asks = async () => known(`bearer ${await issuer.token('alice')}`, undefined);
    expect(await refusedWith(asks())).toBe(
      '403 The user is a member of no tenant; an administrator of one can add them.',
    );
    const { id } = await giveRole(admin, 'alice', 'admin');
    const { tenantId, organizationId } = admin.caller;
    expect(await asks()).toMatchObject({ tenantId, organizationId, userId: 'alice', role: 'admin' });
    await giveRole(other, 'alice', 'viewer');
    expect(await refusedWith(asks())).toMatch(/^403 .*requires workspace specification/);
    await takeRole(admin, id);
    expect(await asks()).toMatchObject({ tenantId: other.caller.tenantId, role: 'viewer' });
  });

  it('is refused like a bad key for whatever is wrong with their token', async () => {
    const { admin, known, issuer } = await withPeople();
    await giveRole(admin, 'alice', 'admin');
    const { tenantId } = admin.caller;
    const token = await issuer.token('alice');
    const expired = await issuer.token('alice', { exp: 1 });
    const bad = [
      'Bearer',
      'Bearer ',
      `Bearer ${token} ${token}`,
      `Basic ${token}`,
      token,
      `Bearer ${expired}`,
    ];
    for (const authorization of [...bad, `Bearer ${token}x`, `Bearer "${token}"`]) {
      const { status, detail, headers } = await refusal(known(authorization, tenantId));
      expect([authorization, status, detail]).toEqual([authorization, 401, 'Invalid or missing credentials']);
      expect(headers?.['www-authenticate']).toMatch(/ApiKey.*Bearer/);
    }
    expect((await known(`BEARER  ${token}`, tenantId)).userId).toBe('alice');
  });

  it('who sends a key in the place of a token is told where it belongs, whether it is one or not', async () => {
    const { admin, known } = await withPeople();
    const { apiKey } = admin;
    const sent = [`Bearer ${apiKey}`, apiKey, 'Bearer slp_', `bearer ${apiKey.slice(0, -1)}`, 'Bearer slp_x'];
    for (const authorization of sent)
      expect([authorization, await refusedWith(known(authorization, undefined))]).toEqual([
        authorization,
        '401 Invalid or missing credentials: an API key is sent in the header X-Api-Key, not as a bearer token.',
      ]);
  });

  it('with a key asks with the key, good or bad', async () => {
    const { admin, issuer } = await withPeople();
    await giveRole(admin, 'alice', 'viewer');
    const authorization = `Bearer ${await issuer.token('alice')}`;
    const { tenantId } = admin.caller;
    const ask = (apiKey: string) => authenticateCaller(admin.deps, { apiKey, authorization, tenantId });
    expect((await ask(admin.apiKey)).role).toBe('organization_admin');
    expect(await refusedWith(ask('slp_wrong'))).toBe('401 Invalid or missing credentials');
  });

  it('gets another role, loses it at once, and may get one again', async () => {
    const { admin, person } = await withPeople();
    const { id } = await giveRole(admin, 'alice', 'admin');
    await giveRole(admin, 'bob', 'viewer');
    expect((await giveRole(admin, 'alice', 'viewer')).id).toBe(id);
    expect((await person('alice')).role).toBe('viewer');
    await takeRole(admin, id);
    expect(await refusedWith(person('alice'))).toBe(noPart(admin.caller.tenantId));
    expect((await members(admin)).resources.map((member) => member.user_id)).toEqual(['bob']);
    expect(await refusedWith(takeRole(admin, id))).toBe(`404 Member ID ${id} not found.`);
    await giveRole(admin, 'alice', 'developer');
    expect((await person('alice')).role).toBe('developer');
  });

  it('gets no role that its giver has not, and people are no listeners', async () => {
    const { admin } = await withPeople();
    const asAdmin = admin.as({ role: 'admin' });
    expect(await refusedWith(giveRole(asAdmin, 'alice', 'organization_admin'))).toBe(
      `403 API key lacks permission 'tenants:read'${ABOVE}`,
    );
    expect((await giveRole(asAdmin, 'alice', 'admin')).role).toBe('admin');
    await expect(giveRole(admin, 'alice', 'listener')).rejects.toThrow('Invalid option');
  });

  it('keeps a role that is above that of who wants to replace or take it', async () => {
    const { admin, person } = await withPeople();
    const asAdmin = admin.as({ role: 'admin' });
    const { id } = await giveRole(admin, 'owner', 'organization_admin');
    const lacks = `403 API key lacks permission 'tenants:read'${ABOVE}`;
    for (const role of ['viewer', 'developer', 'admin', 'organization_admin'])
      expect(await refusedWith(giveRole(asAdmin, 'owner', role))).toBe(lacks);
    expect(await refusedWith(takeRole(asAdmin, id))).toBe(lacks);
    expect((await person('owner')).role).toBe('organization_admin');
    expect((await giveRole(admin, 'owner', 'admin')).role).toBe('admin');
    expect((await giveRole(asAdmin, 'owner', 'viewer')).role).toBe('viewer');
    await giveRole(admin, 'owner', 'organization_admin');
    await takeRole(admin, id);
    expect(await refusedWith(takeRole(asAdmin, id))).toBe(`404 Member ID ${id} not found.`);
    expect((await giveRole(asAdmin, 'owner', 'admin')).role).toBe('admin');
  });

  it('is listed page by page, and in no other tenant', async () => {
    const { world, admin } = await withPeople();
    const other = await anOrganization(world);
    for (let n = 0; n < 7; n++) await giveRole(admin, `user ${n}`, 'viewer');
    const pages = [];
    for (const offset of ['0', '3', '6']) pages.push(await members(admin, { limit: '3', offset }));
    expect(pages.map((page) => page.offset)).toEqual([3, 6, 7]);
    const users = pages.flatMap(({ resources }) => resources.map((member) => member.user_id));
    expect(users.toSorted()).toEqual(Array.from({ length: 7 }, (_, n) => `user ${n}`));
    expect(await members(other)).toEqual({ resources: [], offset: 0 });
    const { id } = await giveRole(admin, 'user 1', 'viewer');
    expect(await refusedWith(takeRole(other, id))).toBe(`404 Member ID ${id} not found.`);
  });
});

describe('the tenants of an organization', () => {
  it('are listed, newest first, and are reached with a key of the organization', async () => {
    const world = await aWorld();
    const [admin, other] = [await anOrganization(world), await anOrganization(world)];
    const made = await makeTenant(admin, 'second');
    expect(made).toMatchObject({ name: 'second', organization_id: admin.caller.organizationId });
    const listed = await tenants(admin);
    expect(listed).toEqual({ resources: [made, expect.objectContaining({ name: 'main' })], offset: 2 });
    expect((await tenants(other)).resources.map(({ id }) => id)).toEqual([other.caller.tenantId]);
    const wide = await makeKey(admin, { name: 'wide', role: 'organization_admin', scope: 'organization' });
    const inSecond = await withKey(admin, wide.key, made.id);
    expect(inSecond.caller.tenantId).toBe(made.id);
    const own = await makeKey(inSecond, { name: 'its own', role: 'admin' });
    expect((await withKey(world, own.key)).caller).toMatchObject({ tenantId: made.id, role: 'admin' });
    expect(await refusedWith(withKey(admin, wide.key, other.caller.tenantId))).toMatch(/^403 /);
  });

  it('stay one where what they run is not kept apart, unless that is asked for', async () => {
    const world = await aWorld({ singleTenant: true });
    const admin = await anOrganization(world);
    expect(await refusedWith(makeTenant(admin, 'second'))).toMatch(/^409 .*SLIPWAY_MORE_TENANTS=true/);
    expect((await tenants(admin)).resources).toHaveLength(1);
  });
});
