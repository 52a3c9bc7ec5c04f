import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../lib/contract/errors.ts';
import type { OAuthProvider } from '../../../lib/core/items/oauth-providers.ts';
import type { OAuthToken } from '../../../lib/core/items/oauth-token-shapes.ts';
import { findOwnToken, keyOfToken } from '../../../lib/core/items/oauth-tokens.ts';
import { clientOf } from '../../../lib/core/oauth/client.ts';
import { freshAccessToken } from '../../../lib/core/oauth/fresh.ts';
import { openTokens } from '../../../lib/core/oauth/sealed-tokens.ts';
import { deleteToken } from '../../../lib/features/oauth-tokens/delete.ts';
import { revokeDue } from '../../../lib/features/oauth-tokens/revoke.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { aGrant, aStoredProvider, storeProvider } from '../../support/oauth/grants.ts';
import { anOAuthProvider, type TestProvider } from '../../support/oauth/provider.ts';
import { until } from '../../support/until.ts';
import { refusal, refusedWith } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

type Granted = World & { server: TestProvider; provider: OAuthProvider; token: OAuthToken };

/** A grant whose access token lasts an hour of the clock that moves by hand. */
async function aGrantedPlane(): Promise<Granted> {
  const world = await aWorld();
  // Nobody gives up before the provider has answered.
  world.deps.clock.wait = () => new Promise(() => undefined);
  const server = await anOAuthProvider();
  const provider = await aStoredProvider(world, server);
  return { ...world, server, provider, token: await aGrant(world, server, provider) };
}

const HOUR_SECONDS = 3600;
const current = async ({ deps, caller, token }: Granted): Promise<OAuthToken> => {
  const owner = { tenantId: caller.tenantId, ownerId: caller.userId };
  const found = await findOwnToken(deps.table, owner, token.id);
  if (found === undefined) throw new Error('the token is gone');
  return found;
};
const fresh = async (granted: Granted) =>
  freshAccessToken(granted.deps, await current(granted), granted.provider);
const stored = async ({ deps, token }: Granted) =>
  (await openTokens(deps, { ...token, token_id: token.id })).access_token;

/**
 * Asks as clients do: on a machine that is too busy for two hundred at once, who has waited for long is told
 * to try again.
 */
const askedAgain = (world: Granted, seen: OAuthToken) =>
  until(
    () =>
      freshAccessToken(world.deps, seen, world.provider).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'provider_unavailable') return undefined;
        throw error;
      }),
    { what: 'the token that one of them has refreshed' },
  );

/** The same, with a provider whose answers to refreshes are held back until they are let go. */
function heldBack(granted: Granted) {
  const began = Promise.withResolvers<undefined>();
  const gate = Promise.withResolvers<undefined>();
  const { refresh } = granted.deps.oauth;
  const deps: World['deps'] = {
    ...granted.deps,
    oauth: {
      ...granted.deps.oauth,
      refresh: async (...asked) => {
        const answer = await refresh(...asked);
        began.resolve(undefined);
        await gate.promise;
        return answer;
      },
    },
  };
  return { held: { ...granted, deps }, began: began.promise, letGo: () => gate.resolve(undefined) };
}

describe('an access token', () => {
  it('is given as it is while it lasts, and refreshed ahead of its end', async () => {
    const world = await aGrantedPlane();
    const first = await fresh(world);
    expect(first.accessToken).toBe(await stored(world));
    expect(await world.server.accepts(first.accessToken)).toBe(true);
    world.advance(HOUR_SECONDS - 200);
    expect((await fresh(world)).accessToken).toBe(first.accessToken);
    world.advance(100);
    const second = await fresh(world);
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(await world.server.accepts(second.accessToken)).toBe(true);
    expect(second.expiresAt).toBeGreaterThan(world.deps.clock.now() + (HOUR_SECONDS - 10) * 1000);
    expect(world.server.counts.refreshes).toBe(1);
    world.advance(HOUR_SECONDS);
    expect(await world.server.accepts((await fresh(world)).accessToken)).toBe(true);
  });

  it('is refreshed once, however many ask for it when it is over, and the rotated grant is not lost', async () => {
    const world = await aGrantedPlane();
    world.advance(HOUR_SECONDS + 1);
    const seen = await current(world);
    const all = await Promise.all(Array.from({ length: 100 }, () => askedAgain(world, seen)));
    expect(new Set(all.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(world.server.asked.token).toBe(2); // the code, and one refresh
    expect(world.server.counts.refreshes).toBe(1);
    expect(await world.server.accepts(all[0]?.accessToken ?? '')).toBe(true);
    world.advance(HOUR_SECONDS + 1);
    expect(await world.server.accepts((await fresh(world)).accessToken)).toBe(true);
  });

  it('is refreshed by somebody else when who began it is gone', async () => {
    const world = await aGrantedPlane();
    world.advance(HOUR_SECONDS + 1);
    const held = { lease_id: 'somebody', lease_until: world.deps.clock.now() + 20_000 };
    await transact(world.deps.table, [update('lease', keyOfToken(world.token), { set: held })]);
    world.advance(21);
    expect(await world.server.accepts((await fresh(world)).accessToken)).toBe(true);
    expect(await current(world)).not.toHaveProperty('lease_id');
  });
});

describe('a provider that fails', () => {
  it('leaves the grant as it is: the stored token while it is valid, then 503 with the advice to try again', async () => {
    const world = await aGrantedPlane();
    world.server.faults.token = 500;
    world.advance(HOUR_SECONDS - 60);
    expect((await fresh(world)).accessToken).toBe(await stored(world));
    world.advance(120);
    const asked = world.server.asked.token ?? 0;
    const seen = await current(world);
    const refusals = await Promise.all(
      Array.from({ length: 50 }, () => refusal(freshAccessToken(world.deps, seen, world.provider))),
    );
    expect(new Set(refusals.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(refusals[0]).toEqual({
      status: 503,
      detail: "OAuth provider 'acme' is not responding correctly at the moment; try again.",
      headers: { 'retry-after': '2' },
    });
    expect(world.server.asked.token).toBe(asked + 1);
    expect(await current(world)).toMatchObject({ status: 'active', version: 1 });
    world.server.faults.token = undefined;
    world.advance(3);
    expect(await world.server.accepts((await fresh(world)).accessToken)).toBe(true);
  });

  it('by hanging keeps nobody waiting for longer than 5 s, and loses nothing', async () => {
    const world = await aGrantedPlane();
    const isOver = Promise.withResolvers<void>();
    const patience: number[] = [];
    world.deps.clock.wait = (milliseconds) => (patience.push(milliseconds), isOver.promise);
    world.server.faults.token = 'hang';
    world.advance(HOUR_SECONDS - 60);
    const settled: string[] = [];
    const first = fresh(world).finally(() => settled.push('first'));
    await until(async () => (await current(world)).lease_id !== undefined, {
      what: 'the first one to ask the provider',
    });
    // Who finds it being refreshed has no need to wait while it is good.
    const second = await fresh(world);
    expect(settled).toEqual([]);
    isOver.resolve();
    const answers = [await first, second];
    expect(patience).toEqual([4_000, 4_000]);
    const before = await stored(world);
    expect(answers.map(({ accessToken }) => accessToken)).toEqual([before, before]);
    expect(await current(world)).toMatchObject({ status: 'active', version: 1 });
  });

  it('for this client alone is no end of the grant either', async () => {
    const world = await aGrantedPlane();
    const { sealed: _, ...withoutSecret } = world.provider;
    await storeProvider(world, { ...withoutSecret, token_endpoint_auth_method: 'none' });
    world.advance(HOUR_SECONDS + 1);
    const wrong = { ...withoutSecret, token_endpoint_auth_method: 'none' as const };
    const asked = freshAccessToken(world.deps, await current(world), wrong);
    expect(await refusedWith(asked)).toMatch(/^503 /);
    expect(await current(world)).toMatchObject({ status: 'active', version: 1 });
  });
});

describe('a grant', () => {
  const OVER =
    "409 token_expired: OAuth provider 'acme' no longer accepts this grant; request consent again with POST /v2/auth/authenticate.";

  it('that the provider takes no more needs consent again; others go on', async () => {
    const world = await aGrantedPlane();
    const other = await aGrant(world, world.server, world.provider, { agentId: 'other' });
    const { refresh_token = '' } = await openTokens(world.deps, { ...world.token, token_id: world.token.id });
    const client = await clientOf(world.deps, world.provider);
    await world.deps.oauth.revoke(client, refresh_token, 'refresh_token', AbortSignal.timeout(20_000));
    world.advance(HOUR_SECONDS + 1);
    const seen = await current(world);
    const refusals = await Promise.all(
      Array.from({ length: 5 }, () => refusedWith(freshAccessToken(world.deps, seen, world.provider))),
    );
    expect(refusals).toEqual(refusals.map(() => OVER));
    expect(world.server.asked.token).toBe(3);
    expect(await current(world)).toMatchObject({ status: 'expired', version: 2 });
    const kept = await freshAccessToken(world.deps, other, world.provider);
    expect(await world.server.accepts(kept.accessToken)).toBe(true);
    const again = await aGrant(world, world.server, world.provider);
    expect(again.id).toBe(world.token.id);
    expect(await world.server.accepts((await fresh(world)).accessToken)).toBe(true);
  });

  it('without a refresh token ends with its access token', async () => {
    const world = await aGrantedPlane();
    const change = { set: { has_refresh_token: false, refresh_from: world.token.expires_at } };
    await transact(world.deps.table, [update('token', keyOfToken(world.token), change)]);
    world.advance(HOUR_SECONDS - 60);
    expect((await fresh(world)).accessToken).toBe(await stored(world));
    world.advance(120);
    expect(await refusedWith(fresh(world))).toBe(OVER);
    expect(world.server.asked.token).toBe(1);
  });

  it('is sent to no other server than the one that gave it, whatever its provider names by then', async () => {
    const world = await aGrantedPlane();
    const elsewhere = await anOAuthProvider();
    world.advance(HOUR_SECONDS + 1);
    for (const changed of [
      { ...world.provider, token_url: elsewhere.tokenUrl, revocation_url: elsewhere.revocationUrl },
      { ...world.provider, id: world.deps.clock.randomId() },
    ]) {
      expect(await refusedWith(freshAccessToken(world.deps, await current(world), changed))).toBe(OVER);
      await storeProvider(world, changed);
    }
    const params = { token_id: world.token.id };
    await deleteToken(world.deps, { params }, world.caller);
    expect(elsewhere.asked).toEqual({});
    expect((await allItems(world.deps.table)).map(({ entity }) => entity)).not.toContain('oauth_revocation');
  });
});

describe('while a refresh is under way', () => {
  it('a deleted token stays deleted, and what the refresh gave is revoked', async () => {
    const world = await aGrantedPlane();
    world.advance(HOUR_SECONDS + 1);
    const { held, began, letGo } = heldBack(world);
    const asked = refusedWith(fresh(held));
    await began;
    await deleteToken(world.deps, { params: { token_id: world.token.id } }, world.caller);
    letGo();
    expect(await asked).toBe(`404 OAuth token ID ${world.token.id} not found.`);
    const [left] = (await allItems(world.deps.table)).filter(({ entity }) => entity === 'oauth_revocation');
    const opened = await openTokens(world.deps, {
      tenant_id: world.caller.tenantId,
      token_id: world.token.id,
      sealed: String(left?.sealed),
    });
    await revokeDue(world.deps, { all: true }, (error) => expect.fail(String(error)));
    expect(await world.server.accepts(opened.access_token)).toBe(false);
  });

  it('a new consent counts, not what the refresh gave', async () => {
    const world = await aGrantedPlane();
    world.advance(HOUR_SECONDS + 1);
    const { held, began, letGo } = heldBack(world);
    const asked = fresh(held);
    await began;
    const again = await aGrant(world, world.server, world.provider);
    letGo();
    expect((await asked).accessToken).toBe(await stored({ ...world, token: again }));
    expect(await current(world)).toMatchObject({ id: again.id, version: 2, status: 'active' });
  });
});
