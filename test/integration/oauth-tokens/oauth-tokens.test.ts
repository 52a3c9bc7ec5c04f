import { describe, expect, it } from 'vitest';
import { SealError } from '../../../lib/adapters/envelope.ts';
import { exactTokensOf } from '../../../lib/core/items/oauth-tokens.ts';
import { openTokens } from '../../../lib/core/oauth/sealed-tokens.ts';
import { covering } from '../../../lib/features/consent/stored-grant.ts';
import { testClients } from '../../support/oauth/provider.ts';
import {
  aGrantingWorld,
  bring,
  change,
  connect,
  connections,
  exists,
  grant,
  list,
  others,
  remove,
  removeAll,
  token,
} from '../../support/oauth/requests.ts';
import { refusedWith } from '../../support/world/requests.ts';
import { allItems } from '../../support/world/world.ts';

describe('tokens of a user', () => {
  it('are listed newest first for all persons and agents, and belong to nobody else', async () => {
    const world = await aGrantingWorld();
    const first = await grant(world);
    const second = await grant(world, {
      ...{ userId: 'customer-7', agentId: 'support', isDefault: true },
      scopes: ['openid', 'email', 'read'],
    });
    expect(await list(world)).toEqual([
      {
        id: second.id,
        provider_id: 'acme',
        provider_account_label: 'alice@example.test',
        user_id: 'customer-7',
        agent_id: 'support',
        scopes: expect.arrayContaining(['openid', 'read']),
        status: 'active',
        is_default: true,
        expires_at: expect.any(String),
        has_refresh_token: true,
        metadata: {},
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
      expect.objectContaining({ id: first.id, user_id: null, agent_id: null, is_default: false }),
    ]);
    expect(await exists(world)).toBe(true);
    for (const other of others(world)) {
      expect([await list(other), await exists(other)]).toEqual([[], false]);
      expect(await removeAll(other)).toMatchObject({ deleted: 0 });
      const unknown = `404 OAuth token ID ${first.id} not found.`;
      expect(await refusedWith(remove(other, first.id))).toBe(unknown);
      expect(await refusedWith(change(other, first.id, {}))).toBe(unknown);
      expect(await refusedWith(connect(other, 'a', first.id))).toBe(unknown);
    }
    expect(await list(world)).toHaveLength(2);
  });

  it('are found by exactly the person and agent they were granted for', async () => {
    const world = await aGrantingWorld();
    const { tenantId, userId: ownerId } = world.caller;
    const made = await grant(world, { userId: 'a', agentId: 'b' });
    const found = (userId: string, agentId: string) =>
      exactTokensOf(world.deps.table, { tenantId, ownerId, userId, agentId }, 'acme');
    expect((await found('a', 'b')).map(({ id }) => id)).toEqual([made.id]);
    for (const [user, agent] of [
      ['a', ''],
      ['', 'b'],
      ['b', 'a'],
      ['ab', ''],
      ['', ''],
    ] as const)
      expect(await found(user, agent)).toEqual([]);
  });

  it('take the place of those whose scopes they cover, under the same id and with their connections', async () => {
    const world = await aGrantingWorld();
    const narrow = await grant(world, { scopes: ['openid', 'read'] });
    const { id: connectionId } = await connect(world, 'support', narrow.id);
    const beside = await grant(world, { scopes: ['openid', 'write'] });
    expect(beside.id).not.toBe(narrow.id);
    const wide = await grant(world, { scopes: ['openid', 'read', 'write'], tokenId: narrow.id });
    expect(wide.id).toBe(narrow.id);
    expect((await token(world, 'support', connectionId)).scopes).toEqual(wide.scopes);
    const all = await exactTokensOf(
      world.deps.table,
      { tenantId: world.caller.tenantId, ownerId: world.caller.userId, userId: '', agentId: '' },
      'acme',
    );
    expect(covering(all, ['read', 'write']).map(({ id }) => id)).toEqual([wide.id]);
    expect(covering(all, ['write']).map(({ id }) => id)).toEqual([beside.id, wide.id]);
    await change(world, wide.id, { is_default: true });
    await change(world, beside.id, { is_default: true });
    expect((await list(world)).map(({ id, is_default }) => [id, is_default])).toEqual([
      [beside.id, true],
      [wide.id, false],
    ]);
  });

  it('carry notes of their owner', async () => {
    const world = await aGrantingWorld();
    const { id } = await grant(world);
    const noted = await change(world, id, { metadata: { plan: 'pro' }, provider_account_label: 'work' });
    expect(noted).toMatchObject({ metadata: { plan: 'pro' }, provider_account_label: 'work' });
    expect(await change(world, id, {})).toMatchObject({ metadata: { plan: 'pro' } });
    expect(await change(world, id, { metadata: {} })).toMatchObject({ metadata: {} });
    expect((await grant(world)).id).toBe(id);
    expect((await list(world))[0]).toMatchObject({ id, metadata: {} });
  });

  it('can be brought from elsewhere', async () => {
    const world = await aGrantingWorld();
    const made = await grant(world, { agentId: 'elsewhere' });
    const tokens = await openTokens(world.deps, { ...made, token_id: made.id });
    const expires_at = new Date(world.deps.clock.now() + 1000).toISOString();
    const brought = await bring(world, { ...tokens, expires_at, scopes: ['read'], agent_id: 'support' });
    expect(brought).toMatchObject({
      agent_id: 'support',
      scopes: ['read'],
      expires_at,
      has_refresh_token: true,
    });
    const { id } = await connect(world, 'support', brought.id);
    world.advance(2);
    const fresh = await token(world, 'support', id);
    expect(fresh.access_token).not.toBe(tokens.access_token);
    expect(await world.server.accepts(fresh.access_token)).toBe(true);
    expect(await refusedWith(bring(world, { provider_id: 'none', access_token: 'x' }))).toBe(
      "404 OAuth provider 'none' not found.",
    );
  });
});

describe('the tokens themselves', () => {
  it('and the client secret stand nowhere but in ciphertext, which opens for one tenant and token alone', async () => {
    const world = await aGrantingWorld();
    const made = await grant(world);
    const { id } = await connect(world, 'support', made.id);
    const tokens = await openTokens(world.deps, { ...made, token_id: made.id });
    const canaries = [tokens.access_token, tokens.refresh_token ?? '', testClients.post.client_secret];
    await remove(world, (await grant(world, { agentId: 'revoked' })).id);
    const shown = [await list(world), await connections(world, 'support'), await change(world, made.id, {})];
    const everything = JSON.stringify([await allItems(world.deps.table), shown]);
    for (const canary of canaries) expect(everything).not.toContain(canary);
    expect((await token(world, 'support', id)).access_token).toBe(tokens.access_token);
    const { sealed, tenant_id } = made;
    for (const place of [
      { tenant_id: world.deps.clock.randomId(), token_id: made.id },
      { tenant_id, token_id: world.deps.clock.randomId() },
    ]) {
      await expect(openTokens(world.deps, { ...place, sealed })).rejects.toThrow(SealError);
    }
  });
});
