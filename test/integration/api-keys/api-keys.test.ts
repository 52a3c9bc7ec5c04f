import { describe, expect, it } from 'vitest';
import { type Role, roles } from '../../../lib/contract/roles.ts';
import { hashOf, hintOf, newApiKey } from '../../../lib/core/identity/api-key.ts';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { onceAnHour } from '../../../lib/core/identity/key-uses.ts';
import { apiKeyKey } from '../../../lib/core/items/api-keys.ts';
import { createListenerKey } from '../../../lib/features/api-keys/create-as-operator.ts';
import { noteKeyUse } from '../../../lib/features/api-keys/note-use.ts';
import { put, remove } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { apiKeyRowKey } from '../../../lib/store/keys/index.ts';
import { anOrganization, keys, makeKey, revoke, withKey } from '../../support/world/identity-requests.ts';
import { refusal, refusedWith, register } from '../../support/world/requests.ts';
import { allItems, aWorld } from '../../support/world/world.ts';

const names = ({ resources }: Awaited<ReturnType<typeof keys>>) => resources.map(({ name }) => name);
const unauthenticated = '401 Invalid or missing credentials';

describe('a new key', () => {
  it('is shown once, works at once, and acts as its maker', async () => {
    const admin = await anOrganization(await aWorld());
    const made = await makeKey(admin, { name: 'mine', role: 'admin', expires_at: null });
    const { tenantId, organizationId, userId } = admin.caller;
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^slp_\w{49}$/),
      name: 'mine',
      hint: hintOf(made.key),
      role: 'admin',
      organization_id: organizationId,
      tenant_id: tenantId,
      user_id: userId,
      listener_id: null,
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
    });
    const { caller } = await withKey(admin, made.key);
    const own = { keyId: made.id, actor: { kind: 'key', name: 'mine' } };
    expect(caller).toEqual({ ...admin.caller, role: 'admin', ...own });
    const { key, ...listed } = made;
    expect((await keys(admin)).resources).toContainEqual(listed);
    const stored = JSON.stringify(await allItems(admin.deps.table));
    expect(stored).not.toContain(key.slice(12, -4));
    expect(JSON.stringify(await keys(admin))).not.toContain(hashOf(key));
    // The release before knows no later version, and reads the same table during an upgrade.
    const items = await allItems(admin.deps.table);
    expect(items.find(({ pk, sk }) => pk === `K#${hashOf(key)}` && sk === 'A')).toMatchObject({ v: 2 });
  });

  it('may act as a new user, and a listener’s always does, but never as another person', async () => {
    const admin = await anOrganization(await aWorld());
    const listener = await register(admin, 'machine');
    const wishes = [
      { name: 'robot', role: 'developer', service_user: true, user_id: 'somebody else' },
      { name: 'machine', role: 'listener', listener_id: listener.id },
    ];
    for (const wish of wishes) {
      const made = await makeKey(admin, wish);
      const { caller } = await withKey(admin, made.key);
      expect(caller.userId).toBe(made.user_id);
      expect([admin.caller.userId, 'somebody else']).not.toContain(made.user_id);
    }
    const [, made] = (await keys(admin)).resources;
    expect(made).toMatchObject({ name: 'robot', listener_id: null });
  });

  it('expires when it was told to, in any offset from UTC', async () => {
    const admin = await anOrganization(await aWorld());
    const soon = new Date(Date.now() + 3600_000 + 2 * 3600_000).toISOString().replace(/\.\d+Z$/, '+02:00');
    const made = await makeKey(admin, { name: 'short', role: 'viewer', expires_at: soon });
    expect(Date.parse(made.expires_at ?? '')).toBe(Date.parse(soon));
    await withKey(admin, made.key);
    admin.advance(3601);
    expect(await refusedWith(withKey(admin, made.key))).toBe(unauthenticated);
    expect(names(await keys(admin))).toContain('short');
  });

  it.each(['2020-01-01T00:00:00Z', new Date().toISOString()])('does not begin expired: %s', async (at) => {
    const admin = await anOrganization(await aWorld());
    const { status, detail } = await refusal(makeKey(admin, { name: 'k', role: 'viewer', expires_at: at }));
    expect([status, detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'expires_at'], type: 'datetime_future' })],
    ]);
  });

  it('of a listener is bound to one that is there, in the own tenant', async () => {
    const world = await aWorld();
    const [admin, other] = [await anOrganization(world), await anOrganization(world)];
    const foreign = await register(other, 'machine');
    const before = await allItems(world.deps.table);
    for (const listener_id of [foreign.id, world.deps.clock.randomId()]) {
      const asked = makeKey(admin, { name: 'l', role: 'listener', listener_id });
      expect(await refusedWith(asked)).toBe(`404 Listener ID ${listener_id} not found.`);
    }
    expect(await allItems(world.deps.table)).toEqual(before);
  });
});

describe('nobody revokes a key', () => {
  it('above their own role', async () => {
    const owner = await anOrganization(await aWorld());
    const { id } = await makeKey(owner.as({ role: 'organization_admin' }), {
      name: 'k',
      role: 'organization_admin',
    });
    const revokeAs = (role: Role) => revoke(owner.as({ ...owner.caller, role }), id);
    expect(await refusedWith(revokeAs('admin'))).toMatch(/^403 API key lacks permission/);
    expect(await revokeAs('organization_admin')).toBeUndefined();
  });
});

describe('nobody makes a key', () => {
  const rank: Partial<Record<Role, number>> = { viewer: 0, developer: 1, admin: 2, organization_admin: 3 };

  it('above their own role', async () => {
    const admin = await anOrganization(await aWorld());
    const listener_id = (await register(admin, 'machine')).id;
    for (const maker of roles) {
      const world = admin.as({ role: maker });
      for (const role of roles) {
        const body = { name: 'k', role, ...(role === 'listener' && { listener_id }) };
        const isAllowed =
          role === 'listener'
            ? (rank[maker] ?? 0) >= 2
            : maker !== 'listener' && (rank[maker] ?? 0) >= (rank[role] ?? 0);
        const made = await makeKey(world, body).then(
          () => 'made',
          (error: unknown) => (error instanceof Error ? error.message : ''),
        );
        expect([maker, role, made === 'made']).toEqual([maker, role, isAllowed]);
        if (!isAllowed)
          expect(made).toMatch(
            `, which the role '${role}' holds: only who has it can give or take that role`,
          );
      }
    }
  });

  it('of another tenant, or of the organization unless they administer it', async () => {
    const admin = await anOrganization(await aWorld());
    const { tenantId } = admin.caller;
    const other = admin.deps.clock.randomId();
    const ask = (body: object, role: Role = 'admin') =>
      makeKey(admin.as({ role }), { name: 'k', role: 'viewer', ...body });
    expect((await ask({ tenant_id: tenantId.toUpperCase() })).tenant_id).toBe(tenantId);
    expect(await refusedWith(ask({ tenant_id: other }))).toBe(
      `403 API key has no access to tenant '${other}'`,
    );
    expect(await refusedWith(ask({ scope: 'organization' }))).toBe(
      "403 API key lacks permission 'organization_keys:write'",
    );
    expect((await ask({ scope: 'organization' }, 'organization_admin')).tenant_id).toBeNull();
  });

  it('that contradicts itself', async () => {
    const admin = await anOrganization(await aWorld());
    const id = admin.deps.clock.randomId();
    const wrong = [
      [{ role: 'listener' }, 'listener_id'],
      [{ role: 'listener', listener_id: id, scope: 'organization' }, 'scope'],
      [{ role: 'viewer', listener_id: id }, 'listener_id'],
      [{ role: 'viewer', tenant_id: id, scope: 'organization' }, 'tenant_id'],
    ] as const;
    for (const [body, field] of wrong) {
      await expect(makeKey(admin, { name: 'k', ...body })).rejects.toMatchObject({
        issues: [expect.objectContaining({ path: [field] })],
      });
    }
  });
});

describe('the list of keys', () => {
  it('has the tenant’s, newest first, page by page, and those made by command line and start too', async () => {
    const admin = await anOrganization(await aWorld());
    const listener = await register(admin, 'machine');
    const { tenantId } = admin.caller;
    await createListenerKey(admin.deps, { tenantId, listenerId: listener.id });
    for (let n = 0; n < 25; n++) await makeKey(admin, { name: `key ${n}`, role: 'viewer' });
    const all = await keys(admin, { limit: '100' });
    const expected = [
      ...Array.from({ length: 25 }, (_, n) => `key ${24 - n}`),
      'listener machine',
      'first key',
    ];
    expect([names(all), all.offset]).toEqual([expected, 27]);
    const first = await keys(admin);
    const second = await keys(admin, { offset: String(first.offset) });
    expect([...names(first), ...names(second)]).toEqual(expected);
    expect([first.offset, second.offset]).toEqual([20, 27]);
    expect(await keys(admin, { offset: '100' })).toEqual({ resources: [], offset: 27 });
  });

  it('has those of the organization apart, for its administrators', async () => {
    const world = await aWorld();
    const [admin, other] = [await anOrganization(world), await anOrganization(world)];
    const wide = { name: 'wide', role: 'organization_admin', scope: 'organization' };
    const made = await makeKey(admin, wide);
    await makeKey(other, { ...wide, name: 'theirs' });
    expect(names(await keys(admin))).toEqual(['first key']);
    expect(names(await keys(admin, { scope: 'organization' }))).toEqual(['wide']);
    const asAdmin = admin.as({ role: 'admin' });
    const refused = "403 API key lacks permission 'organization_keys:read'";
    expect(await refusedWith(keys(asAdmin, { scope: 'organization' }))).toBe(refused);
    expect(await refusedWith(revoke(asAdmin, made.id))).toBe(`404 API key ID ${made.id} not found.`);
    await revoke(admin, made.id);
    expect(names(await keys(admin, { scope: 'organization' }))).toEqual([]);
    expect(await refusedWith(withKey(admin, made.key, admin.caller.tenantId))).toBe(unauthenticated);
  });
});

describe('a revoked key', () => {
  it('is refused from the next request on, is in no list, and is gone for a second revocation', async () => {
    const admin = await anOrganization(await aWorld());
    const made = await makeKey(admin, { name: 'leaked', role: 'admin' });
    await withKey(admin, made.key);
    await revoke(admin, made.id);
    expect(await refusedWith(withKey(admin, made.key))).toBe(unauthenticated);
    expect(names(await keys(admin))).toEqual(['first key']);
    expect(await refusedWith(revoke(admin, made.id))).toBe(`404 API key ID ${made.id} not found.`);
    const item = (await allItems(admin.deps.table)).find(({ id }) => id === made.id);
    expect(item).toMatchObject({ audit: { action: 'api_key.revoke', user_id: admin.caller.userId } });
    expect(Number(item?.ttl)).toBeGreaterThan(Date.now() / 1000 + 86_400);
  });

  it('may be the own one', async () => {
    const admin = await anOrganization(await aWorld());
    await revoke(admin, admin.caller.keyId);
    expect(await refusedWith(withKey(admin, admin.apiKey))).toBe(unauthenticated);
  });
});

describe('the last use of a key', () => {
  const lastUse = async (world: Parameters<typeof keys>[0], name: string) =>
    (await keys(world)).resources.find((key) => key.name === name)?.last_used_at;

  it('is noted to the hour, never before it was made, once an hour, and only forward', async () => {
    const admin = await anOrganization(await aWorld());
    const made = await makeKey(admin, { name: 'k', role: 'viewer' });
    const noted: number[] = [];
    const uses = onceAnHour((use) => noted.push(use.hour));
    const ask = () => authenticateCaller(admin.deps, { apiKey: made.key, tenantId: undefined }, uses);
    for (let n = 0; n < 3; n++) await ask();
    expect(noted).toHaveLength(1);
    const [hour = 0] = noted;
    const keyHash = hashOf(made.key);
    await noteKeyUse(admin.deps, { keyHash, hour });
    expect(await lastUse(admin, 'k')).toBe(made.created_at);
    expect(new Date(hour).toISOString()).toMatch(/:00:00\.000Z$/);
    admin.advance(3600);
    await ask();
    expect(noted).toEqual([hour, hour + 3_600_000]);
    await noteKeyUse(admin.deps, { keyHash, hour: hour + 3_600_000 });
    await noteKeyUse(admin.deps, { keyHash, hour });
    expect(await lastUse(admin, 'k')).toBe(new Date(hour + 3_600_000).toISOString());
  });

  it('is not noted for a request that is refused, and brings no revoked or unknown key back', async () => {
    const admin = await anOrganization(await aWorld());
    const made = await makeKey(admin, { name: 'k', role: 'viewer' });
    const noted: string[] = [];
    const uses = onceAnHour((use) => noted.push(use.keyHash));
    const elsewhere = { apiKey: made.key, tenantId: admin.deps.clock.randomId() };
    expect(await refusedWith(authenticateCaller(admin.deps, elsewhere, uses))).toMatch(/^403 /);
    await revoke(admin, made.id);
    const gone = { apiKey: made.key, tenantId: undefined };
    expect(await refusedWith(authenticateCaller(admin.deps, gone, uses))).toBe(unauthenticated);
    expect(noted).toEqual([]);
    const before = await allItems(admin.deps.table);
    for (const key of [made.key, newApiKey()]) {
      await noteKeyUse(admin.deps, { keyHash: hashOf(key), hour: 3_600_000 });
    }
    expect(await allItems(admin.deps.table)).toEqual(before);
  });

  it('lists a key that was made before there were lists', async () => {
    const admin = await anOrganization(await aWorld());
    const { keyId, tenantId, organizationId } = admin.caller;
    await transact(admin.deps.table, [remove('row', apiKeyRowKey({ organizationId, tenantId }, keyId))]);
    expect(names(await keys(admin))).toEqual([]);
    const hour = 3_600_000 * Math.ceil(admin.deps.clock.now() / 3_600_000);
    await noteKeyUse(admin.deps, { keyHash: hashOf(admin.apiKey), hour });
    expect((await keys(admin)).resources).toEqual([
      expect.objectContaining({ id: keyId, name: 'first key', last_used_at: new Date(hour).toISOString() }),
    ]);
    await revoke(admin, keyId);
    expect(await refusedWith(withKey(admin, admin.apiKey))).toBe(unauthenticated);
  });
});

it('a key that was revoked by hand, in the table, is in no list', async () => {
  const admin = await anOrganization(await aWorld());
  const made = await makeKey(admin, { name: 'k', role: 'viewer' });
  const item = (await allItems(admin.deps.table)).find(({ id }) => id === made.id);
  const revoked = { ...item, revoked_at: new Date().toISOString() };
  await transact(admin.deps.table, [put('key', { ...apiKeyKey(hashOf(made.key)), ...revoked })]);
  expect(await refusedWith(withKey(admin, made.key))).toBe(unauthenticated);
  expect(names(await keys(admin))).toEqual(['first key']);
});
