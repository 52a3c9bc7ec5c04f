import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, hintOf, isWellFormed, newApiKey } from '../../../lib/core/identity/api-key.ts';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { apiKeyKey } from '../../../lib/core/items/api-keys.ts';
import { bootstrap } from '../../../lib/features/tenants/bootstrap.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { github, post, refusal, refusedWith, register } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const names = { organization: 'acme', tenant: 'main' };

const known = ({ deps }: World, apiKey: string | undefined, tenantId?: string) =>
  authenticateCaller(deps, { apiKey, tenantId });

const marked = ({ deps }: World, key: string, set: Record<string, string>) =>
  transact(deps.table, [update('key', apiKeyKey(hashOf(key)), { set })]);

describe('the first key', () => {
  it('is its organization’s administrator, and stored only as a hash', async () => {
    const world = await aWorld();
    const { apiKey, ...made } = await bootstrap(world.deps, names);
    const caller = await known(world, apiKey);
    expect(caller).toEqual({
      ...made,
      keyId: caller.keyId,
      role: 'organization_admin',
      listenerId: undefined,
      maker: { kind: 'key' },
      actor: { kind: 'key', name: 'first key' },
    });
    const items = await allItems(world.deps.table);
    expect(new Set(items.map((item) => item.entity))).toEqual(
      new Set(['api_key', 'api_key_row', 'organization', 'resource_count', 'tenant', 'tenant_row']),
    );
    expect(JSON.stringify(items)).not.toContain(apiKey.slice(12, -4));
    expect(items.find((item) => item.entity === 'api_key')?.hint).toBe(hintOf(apiKey));
    const asAdmin = { deps: world.deps, caller };
    await register(asAdmin, 'machine');
    expect((await post(asAdmin, github('a'))).tenant_id).toBe(made.tenantId);
  });

  it('is of an organization of its own each time', async () => {
    const world = await aWorld();
    const [one, two] = [await bootstrap(world.deps, names), await bootstrap(world.deps, names)];
    expect(await refusedWith(known(world, one.apiKey, two.tenantId))).toMatch(/^403 /);
  });
});

describe('a credential that is not good', () => {
  it('is 401, and the answer never says why', async () => {
    const world = await aWorld();
    const { apiKey } = await bootstrap(world.deps, names);
    const [revoked, expired] = [await bootstrap(world.deps, names), await bootstrap(world.deps, names)];
    await marked(world, revoked.apiKey, { revoked_at: new Date().toISOString() });
    await marked(world, expired.apiKey, { expires_at: new Date(world.deps.clock.now() - 1).toISOString() });
    const last = apiKey.endsWith('A') ? 'B' : 'A';
    const bad = [
      undefined,
      '',
      'slp_',
      'Bearer x',
      apiKey.slice(0, -1),
      `${apiKey}0`,
      ` ${apiKey}`,
      apiKey.slice(0, -1) + last,
      apiKey.toLowerCase(),
      newApiKey(),
      revoked.apiKey,
      expired.apiKey,
    ];
    const answers = await Promise.all(bad.map((key) => refusal(known(world, key))));
    const [first] = answers;
    expect(first).toEqual({
      status: 401,
      detail: 'Invalid or missing credentials',
      headers: { 'www-authenticate': expect.stringContaining('ApiKey') },
    });
    for (const answer of answers) expect(answer).toEqual(first);
  });

  it('is one that has expired, from the moment on', async () => {
    const world = await aWorld();
    const { apiKey } = await bootstrap(world.deps, names);
    await marked(world, apiKey, { expires_at: new Date(Date.now() + 60_000).toISOString() });
    await known(world, apiKey);
    world.advance(61);
    expect(await refusedWith(known(world, apiKey))).toBe('401 Invalid or missing credentials');
  });
});

describe('the tenant of a request', () => {
  it('is the key’s own; naming it is fine, naming another is 403', async () => {
    const world = await aWorld();
    const { apiKey, tenantId } = await bootstrap(world.deps, names);
    expect((await known(world, apiKey, tenantId)).tenantId).toBe(tenantId);
    expect((await known(world, apiKey, tenantId.toUpperCase())).tenantId).toBe(tenantId);
    const other = world.deps.clock.randomId();
    expect(await refusedWith(known(world, apiKey, other))).toBe(
      `403 API key has no access to tenant '${other}'`,
    );
  });

  it('must be named with a key of the organization, and be the organization’s', async () => {
    const world = await aWorld();
    const own = await bootstrap(world.deps, names);
    const foreign = await bootstrap(world.deps, names);
    const key = await issueApiKey(world.deps, {
      organizationId: own.organizationId,
      tenantId: undefined,
      userId: own.userId,
      role: 'organization_admin',
      name: 'all',
    });
    expect(await refusedWith(known(world, key))).toMatch(/^403 .*requires workspace specification/);
    expect(await known(world, key, own.tenantId)).toMatchObject({
      tenantId: own.tenantId,
      role: 'organization_admin',
    });
    const admin = { deps: world.deps, caller: await known(world, own.apiKey) };
    await register(admin, 'machine');
    const { id } = await post(admin, github('a'));
    // The last two are parts of keys of the table: as a tenant they name nothing.
    for (const asked of [foreign.tenantId, world.deps.clock.randomId(), '', 'x', `${own.tenantId}#D#${id}`]) {
      expect(await refusedWith(known(world, key, asked))).toBe(
        `403 API key has no access to tenant '${asked}'`,
      );
    }
  });

  it('of a listener’s key comes with the only listener it speaks for', async () => {
    const world = await aWorld();
    const { organizationId, tenantId, userId } = await bootstrap(world.deps, names);
    const listenerId = world.deps.clock.randomId();
    const wish = { organizationId, tenantId, userId, role: 'listener', listenerId, name: 'l' } as const;
    const key = await issueApiKey(world.deps, wish);
    expect(await known(world, key)).toMatchObject({ tenantId, role: 'listener', listenerId });
  });
});

describe('an API key', () => {
  it('is 53 characters that secret scanners know, and any change of one is noticed', () => {
    const character = fc.stringMatching(/^[0-9A-Za-z]$/);
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 52 }), character, (place, other) => {
        const key = newApiKey();
        expect(key).toMatch(/^slp_[0-9A-Za-z]{49}$/);
        expect(isWellFormed(key)).toBe(true);
        const changed = key.slice(0, place) + other + key.slice(place + 1);
        expect(isWellFormed(changed)).toBe(changed === key);
        expect(hintOf(key).length).toBeLessThan(14);
        expect(hashOf(key)).toMatch(/^[0-9a-f]{64}$/);
      }),
      { numRuns: 300 },
    );
  });
});
