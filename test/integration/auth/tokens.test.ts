import { describe, expect, it } from 'vitest';
import { SealError } from '../../../lib/adapters/envelope.ts';
import { createConnection } from '../../../lib/app/auth/connections/create.ts';
import { deleteConnection } from '../../../lib/app/auth/connections/delete.ts';
import { listConnections } from '../../../lib/app/auth/connections/list.ts';
import { getConnectionToken } from '../../../lib/app/auth/connections/token.ts';
import { changeTokenMetadata } from '../../../lib/app/auth/tokens/change-metadata.ts';
import { deleteToken } from '../../../lib/app/auth/tokens/delete.ts';
import { deleteTokens } from '../../../lib/app/auth/tokens/delete-all.ts';
import { tokenExists } from '../../../lib/app/auth/tokens/exists.ts';
import { covering } from '../../../lib/app/auth/tokens/grant.ts';
import { importToken } from '../../../lib/app/auth/tokens/import.ts';
import { listTokens } from '../../../lib/app/auth/tokens/list.ts';
import { revokeDue } from '../../../lib/app/auth/tokens/revoke.ts';
import { openTokens } from '../../../lib/app/auth/tokens/sealed.ts';
import * as rows from '../../../lib/contract/routes/oauth-tokens.ts';
import type { OAuthProvider } from '../../../lib/store/oauth-providers.ts';
import { matching, type OAuthToken } from '../../../lib/store/oauth-tokens.ts';
import { aControlPlane, allItems, type ControlPlane } from '../../support/control-plane.ts';
import { aGrant, aStoredProvider } from '../../support/oauth-grants.ts';
import { anOAuthProvider, type TestProvider, testClients } from '../../support/oauth-provider.ts';
import { refusedWith } from '../../support/requests.ts';

type Plane = ControlPlane & { server: TestProvider; provider: OAuthProvider };

async function aPlane(): Promise<Plane> {
  const plane = await aControlPlane();
  const server = await anOAuthProvider();
  return { ...plane, server, provider: await aStoredProvider(plane, server) };
}

type Asking = Pick<ControlPlane, 'deps' | 'caller'>;
const grant = (plane: Plane, wish?: Parameters<typeof aGrant>[3]) =>
  aGrant(plane, plane.server, plane.provider, wish);
const query = { provider_id: 'acme' };
const list = ({ deps, caller }: Asking) => listTokens(deps, { query }, caller);
const exists = async ({ deps, caller }: Asking) => (await tokenExists(deps, { query }, caller)).has_token;
const removeAll = ({ deps, caller }: Asking) => deleteTokens(deps, { query }, caller);
const remove = ({ deps, caller }: Asking, id: string) =>
  deleteToken(deps, { params: { token_id: id } }, caller);
const change = ({ deps, caller }: Asking, id: string, body: object) =>
  changeTokenMetadata(
    deps,
    { params: { token_id: id }, body: rows.changeTokenMetadata.body().parse(body) },
    caller,
  );
const bring = ({ deps, caller }: Asking, body: object) =>
  importToken(deps, { body: rows.importToken.body().parse({ provider_id: 'acme', ...body }) }, caller);
const connect = ({ deps, caller }: Asking, agentId: string, tokenId: string) =>
  createConnection(deps, { params: { agent_id: agentId }, body: { oauth_token_id: tokenId } }, caller);
const connections = async ({ deps, caller }: Asking, agentId: string) =>
  (await listConnections(deps, { params: { agent_id: agentId } }, caller)).data;
const disconnect = ({ deps, caller }: Asking, agentId: string, id: string) =>
  deleteConnection(deps, { params: { agent_id: agentId, connection_id: id } }, caller);
const token = ({ deps, caller }: Asking, agentId: string, id: string) =>
  getConnectionToken(deps, { params: { agent_id: agentId, connection_id: id } }, caller);

/** Somebody else in the same tenant, and in another tenant of the same organisation. */
const others = (plane: ControlPlane): ControlPlane[] => [
  plane.as({ userId: 'somebody else' }),
  plane.as({ tenantId: plane.deps.clock.randomId() }),
];

const entities = async (plane: Plane) =>
  (await allItems(plane.deps.table)).map(({ entity }) => String(entity)).sort();
const noError = (error: unknown) => expect.fail(String(error));

describe('tokens of a user', () => {
  it('are listed newest first for all persons and agents, and belong to nobody else', async () => {
    const plane = await aPlane();
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
    const plane = await aPlane();
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
    const plane = await aPlane();
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
    const plane = await aPlane();
    const { id } = await grant(plane);
    const noted = await change(plane, id, { metadata: { plan: 'pro' }, provider_account_label: 'work' });
    expect(noted).toMatchObject({ metadata: { plan: 'pro' }, provider_account_label: 'work' });
    expect(await change(plane, id, {})).toMatchObject({ metadata: { plan: 'pro' } });
    expect(await change(plane, id, { metadata: {} })).toMatchObject({ metadata: {} });
    expect((await grant(plane)).id).toBe(id);
    expect((await list(plane))[0]).toMatchObject({ id, metadata: {} });
  });

  it('can be brought from elsewhere', async () => {
    const plane = await aPlane();
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
    const plane = await aPlane();
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

describe('deletion', () => {
  const accessTokens = (plane: Plane, tokens: OAuthToken[]) =>
    Promise.all(
      tokens.map(async (made) => (await openTokens(plane.deps, { ...made, token_id: made.id })).access_token),
    );

  it('of all takes their connections, and the provider takes them no more', async () => {
    const plane = await aPlane();
    const made = [await grant(plane), await grant(plane, { agentId: 'support' })];
    const { id } = await connect(plane, 'support', made[0]?.id ?? '');
    await connect(plane, 'other', made[0]?.id ?? '');
    const given = await accessTokens(plane, made);
    expect(await removeAll(plane)).toEqual({
      message: "Deleted 2 tokens of OAuth provider 'acme'.",
      provider_id: 'acme',
      deleted: 2,
    });
    for (const each of given) expect(await plane.server.accepts(each)).toBe(false);
    expect([await list(plane), await connections(plane, 'support')]).toEqual([[], []]);
    expect(await refusedWith(token(plane, 'support', id))).toBe(`404 Connection ID ${id} not found.`);
    expect(await entities(plane)).toEqual(['audit_event', 'audit_event', 'oauth_provider']);
    expect(await removeAll(plane)).toMatchObject({
      message: "Deleted 0 tokens of OAuth provider 'acme'.",
      deleted: 0,
    });
  });

  it('answers within 5 s when the provider hangs; it is told behind the answer, as soon as it listens', async () => {
    const plane = await aPlane();
    const made = await grant(plane);
    const [given = ''] = await accessTokens(plane, [made]);
    plane.server.faults.revocation = 'hang';
    const begunAt = performance.now();
    await remove(plane, made.id);
    expect(performance.now() - begunAt).toBeLessThan(5_000);
    expect(await exists(plane)).toBe(false);
    expect(await entities(plane)).toContain('oauth_revocation');
    expect(await revokeDue(plane.deps, { all: false }, noError)).toEqual({ looked: 0, failed: 0 });
    plane.server.faults.revocation = 503;
    plane.advance(61);
    const failures: string[] = [];
    const tried = await revokeDue(plane.deps, { all: false }, (_, id) => failures.push(id));
    expect([tried, failures]).toEqual([{ looked: 1, failed: 1 }, [made.id]]);
    plane.server.faults.revocation = undefined;
    expect(await revokeDue(plane.deps, { all: false }, noError)).toEqual({ looked: 0, failed: 0 });
    plane.advance(61);
    expect(await revokeDue(plane.deps, { all: false }, noError)).toEqual({ looked: 1, failed: 0 });
    expect(await plane.server.accepts(given)).toBe(false);
    expect(await entities(plane)).not.toContain('oauth_revocation');
  });

  it('tries a provider that is away for a day, ever more seldom, and then forgets what it had', async () => {
    const plane = await aPlane();
    plane.server.faults.revocation = 500;
    await remove(plane, (await grant(plane)).id);
    let tries = 0;
    for (let hours = 0; hours < 26; hours += 1) {
      plane.advance(3601);
      tries += (await revokeDue(plane.deps, { all: false }, () => undefined)).looked;
    }
    expect(tries).toBeGreaterThan(20);
    expect(tries).toBeLessThan(26);
    expect(await entities(plane)).not.toContain('oauth_revocation');
  });

  it('where nothing can be revoked keeps nothing', async () => {
    const plane = await aControlPlane();
    const server = await anOAuthProvider();
    const provider = await aStoredProvider(plane, server, { revocation_url: undefined });
    const here = { ...plane, server, provider };
    await remove(here, (await grant(here)).id);
    expect(await entities(here)).toEqual(['audit_event', 'oauth_provider']);
    expect(server.asked.revocation).toBeUndefined();
  });
});

describe('connections', () => {
  it('let an agent use a token, show what it is, and end without it', async () => {
    const plane = await aPlane();
    const made = await grant(plane);
    const connected = await connect(plane, 'support', made.id);
    expect(connected).toEqual({
      id: expect.any(String),
      agent_id: 'support',
      oauth_token_id: made.id,
      provider_id: 'acme',
      provider_account_label: made.account_label ?? null,
      scopes: made.scopes,
      expires_at: new Date(made.expires_at ?? 0).toISOString(),
      created_by: plane.caller.userId,
      created_at: expect.any(String),
    });
    expect(await connect(plane, 'support', made.id)).toEqual(connected);
    expect(await connections(plane, 'support')).toEqual([connected]);
    expect(await connections(plane, 'another')).toEqual([]);
    const { access_token, ...rest } = await token(plane, 'support', connected.id);
    expect(await plane.server.accepts(access_token)).toBe(true);
    expect(rest).toEqual({
      token_type: 'Bearer',
      provider_id: 'acme',
      scopes: made.scopes,
      expires_at: connected.expires_at,
    });
    await disconnect(plane, 'support', connected.id);
    const unknown = `404 Connection ID ${connected.id} not found.`;
    expect(await refusedWith(token(plane, 'support', connected.id))).toBe(unknown);
    expect(await refusedWith(disconnect(plane, 'support', connected.id))).toBe(unknown);
    expect(await list(plane)).toHaveLength(1);
    await connect(plane, 'support', made.id);
  });

  it('are nobody else’s', async () => {
    const plane = await aPlane();
    const { id } = await connect(plane, 'support', (await grant(plane)).id);
    for (const other of others(plane)) {
      expect(await connections(other, 'support')).toEqual([]);
      for (const asked of [token(other, 'support', id), disconnect(other, 'support', id)])
        expect(await refusedWith(asked)).toBe(`404 Connection ID ${id} not found.`);
    }
    expect(await refusedWith(token(plane, 'another', id))).toBe(`404 Connection ID ${id} not found.`);
    expect(await connections(plane, 'support')).toHaveLength(1);
  });

  it('of a token are forty at most, all of which go with it', async () => {
    const plane = await aPlane();
    const made = await grant(plane);
    const tries = Array.from({ length: 43 }, (_, n) => connect(plane, `agent-${n}`, made.id));
    const done = await Promise.allSettled(tries);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
    expect(await refusedWith(connect(plane, 'one more', made.id))).toBe(
      `409 OAuth token ${made.id} has 40 connections, which is as many as it can have.`,
    );
    await remove(plane, made.id);
    expect(new Set(await entities(plane))).toEqual(new Set(['audit_event', 'oauth_provider']));
  });

  it('and the deletion of their token leave nothing over, whichever is first', async () => {
    const plane = await aPlane();
    const made = await grant(plane);
    const racing = [0, 1, 2].map((n) => connect(plane, `agent-${n}`, made.id).catch(() => undefined));
    await Promise.all([...racing, remove(plane, made.id)]);
    expect(new Set(await entities(plane))).toEqual(new Set(['audit_event', 'oauth_provider']));
  });
});
