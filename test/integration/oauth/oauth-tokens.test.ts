import { describe, expect, it } from 'vitest';
import { SealError } from '../../../lib/adapters/envelope.ts';
import { covering } from '../../../lib/app/oauth/tokens/grant.ts';
import { openTokens } from '../../../lib/app/oauth/tokens/sealed.ts';
import { matching } from '../../../lib/store/oauth/tokens.ts';
import { testClients } from '../../support/oauth/provider.ts';
import {
  aGrantingPlane,
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
    const plane = await aGrantingPlane();
    const first = await grant(plane);
    const second = await grant(plane, {
      ...{ userId: 'customer-7', agentId: 'support', isDefault: true },
      scopes: ['openid', 'email', 'read'],
    });
    expect(await list(plane)).toEqual([
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
    expect(await exists(plane)).toBe(true);
    for (const other of others(plane)) {
      expect([await list(other), await exists(other)]).toEqual([[], false]);
      expect(await removeAll(other)).toMatchObject({ deleted: 0 });
      const unknown = `404 OAuth token ID ${first.id} not found.`;
      expect(await refusedWith(remove(other, first.id))).toBe(unknown);
      expect(await refusedWith(change(other, first.id, {}))).toBe(unknown);
      expect(await refusedWith(connect(other, 'a', first.id))).toBe(unknown);
    }
    expect(await list(plane)).toHaveLength(2);
  });

  it('are found by exactly the person and agent they were granted for', async () => {
    const plane = await aGrantingPlane();
    const { tenantId, userId: ownerId } = plane.caller;
    const made = await grant(plane, { userId: 'a', agentId: 'b' });
    const found = (userId: string, agentId: string) =>
      matching(plane.deps.table, { tenantId, ownerId, userId, agentId }, 'acme');
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
    const plane = await aGrantingPlane();
    const narrow = await grant(plane, { scopes: ['openid', 'read'] });
    const { id: connectionId } = await connect(plane, 'support', narrow.id);
    const beside = await grant(plane, { scopes: ['openid', 'write'] });
    expect(beside.id).not.toBe(narrow.id);
    const wide = await grant(plane, { scopes: ['openid', 'read', 'write'], tokenId: narrow.id });
    expect(wide.id).toBe(narrow.id);
    expect((await token(plane, 'support', connectionId)).scopes).toEqual(wide.scopes);
    const all = await matching(
      plane.deps.table,
      { tenantId: plane.caller.tenantId, ownerId: plane.caller.userId, userId: '', agentId: '' },
      'acme',
    );
    expect(covering(all, ['read', 'write']).map(({ id }) => id)).toEqual([wide.id]);
    expect(covering(all, ['write']).map(({ id }) => id)).toEqual([beside.id, wide.id]);
    await change(plane, wide.id, { is_default: true });
    await change(plane, beside.id, { is_default: true });
    expect((await list(plane)).map(({ id, is_default }) => [id, is_default])).toEqual([
      [beside.id, true],
      [wide.id, false],
    ]);
  });

  it('carry notes of their owner', async () => {
    const plane = await aGrantingPlane();
    const { id } = await grant(plane);
    const noted = await change(plane, id, { metadata: { plan: 'pro' }, provider_account_label: 'work' });
    expect(noted).toMatchObject({ metadata: { plan: 'pro' }, provider_account_label: 'work' });
    expect(await change(plane, id, {})).toMatchObject({ metadata: { plan: 'pro' } });
    expect(await change(plane, id, { metadata: {} })).toMatchObject({ metadata: {} });
    expect((await grant(plane)).id).toBe(id);
    expect((await list(plane))[0]).toMatchObject({ id, metadata: {} });
  });

  it('can be brought from elsewhere', async () => {
    const plane = await aGrantingPlane();
    const made = await grant(plane, { agentId: 'elsewhere' });
    const tokens = await openTokens(plane.deps, { ...made, token_id: made.id });
    const expires_at = new Date(plane.deps.clock.now() + 1000).toISOString();
    const brought = await bring(plane, { ...tokens, expires_at, scopes: ['read'], agent_id: 'support' });
    expect(brought).toMatchObject({
      agent_id: 'support',
      scopes: ['read'],
      expires_at,
      has_refresh_token: true,
    });
    const { id } = await connect(plane, 'support', brought.id);
    plane.advance(2);
    const fresh = await token(plane, 'support', id);
    expect(fresh.access_token).not.toBe(tokens.access_token);
    expect(await plane.server.accepts(fresh.access_token)).toBe(true);
    expect(await refusedWith(bring(plane, { provider_id: 'none', access_token: 'x' }))).toBe(
      "404 OAuth provider 'none' not found.",
    );
  });
});

describe('the tokens themselves', () => {
  it('and the client secret stand nowhere but in ciphertext, which opens for one tenant and token alone', async () => {
    const plane = await aGrantingPlane();
    const made = await grant(plane);
    const { id } = await connect(plane, 'support', made.id);
    const tokens = await openTokens(plane.deps, { ...made, token_id: made.id });
    const canaries = [tokens.access_token, tokens.refresh_token ?? '', testClients.post.client_secret];
    await remove(plane, (await grant(plane, { agentId: 'revoked' })).id);
    const shown = [await list(plane), await connections(plane, 'support'), await change(plane, made.id, {})];
    const everything = JSON.stringify([await allItems(plane.deps.table), shown]);
    for (const canary of canaries) expect(everything).not.toContain(canary);
    expect((await token(plane, 'support', id)).access_token).toBe(tokens.access_token);
    const { sealed, tenant_id } = made;
    for (const place of [
      { tenant_id: plane.deps.clock.randomId(), token_id: made.id },
      { tenant_id, token_id: plane.deps.clock.randomId() },
    ]) {
      await expect(openTokens(plane.deps, { ...place, sealed })).rejects.toThrow(SealError);
    }
  });
});
