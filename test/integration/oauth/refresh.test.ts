import { describe, expect, it } from 'vitest';
import { clientOf } from '../../../lib/app/oauth/providers/client.ts';
import { deleteToken } from '../../../lib/app/oauth/tokens/delete.ts';
import { freshAccessToken } from '../../../lib/app/oauth/tokens/fresh.ts';
import { revokeDue } from '../../../lib/app/oauth/tokens/revoke.ts';
import { openTokens } from '../../../lib/app/oauth/tokens/sealed.ts';
import { ApiError } from '../../../lib/contract/errors.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { keyOfToken } from '../../../lib/store/keys/oauth.ts';
import type { OAuthProvider } from '../../../lib/store/oauth/providers.ts';
import { findOwnToken, type OAuthToken } from '../../../lib/store/oauth/tokens.ts';
import { aGrant, aStoredProvider, storeProvider } from '../../support/oauth/grants.ts';
import { anOAuthProvider, type TestProvider } from '../../support/oauth/provider.ts';
import { until } from '../../support/until.ts';
import { refusal, refusedWith } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

type Granted = World & { server: TestProvider; provider: OAuthProvider; token: OAuthToken };

/** A grant whose access token lasts an hour of the clock that moves by hand. */
async function aGrantedPlane(): Promise<Granted> {
  const plane = await aWorld();
  const server = await anOAuthProvider();
  const provider = await aStoredProvider(plane, server);
  return { ...plane, server, provider, token: await aGrant(plane, server, provider) };
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

/** Asks as clients do: on a machine that is too busy for two hundred at once, who has waited for long is told to try again. */
const askedAgain = (plane: Granted, seen: OAuthToken) =>
  until(
    () =>
      freshAccessToken(plane.deps, seen, plane.provider).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'provider_unavailable') return undefined;
        throw error;
      }),
    { timeoutMs: 60_000, what: 'the token that one of them has refreshed' },
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
    const plane = await aGrantedPlane();
    const first = await fresh(plane);
    expect(first.accessToken).toBe(await stored(plane));
    expect(await plane.server.accepts(first.accessToken)).toBe(true);
    plane.advance(HOUR_SECONDS - 200);
    expect((await fresh(plane)).accessToken).toBe(first.accessToken);
    plane.advance(100);
    const second = await fresh(plane);
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(await plane.server.accepts(second.accessToken)).toBe(true);
    expect(second.expiresAt).toBeGreaterThan(plane.deps.clock.now() + (HOUR_SECONDS - 10) * 1000);
    expect(plane.server.counts.refreshes).toBe(1);
    plane.advance(HOUR_SECONDS);
    expect(await plane.server.accepts((await fresh(plane)).accessToken)).toBe(true);
  });

  it('is refreshed once, however many ask for it when it is over, and the rotated grant is not lost', async () => {
    const plane = await aGrantedPlane();
    plane.advance(HOUR_SECONDS + 1);
    const seen = await current(plane);
    const all = await Promise.all(Array.from({ length: 200 }, () => askedAgain(plane, seen)));
    expect(new Set(all.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(plane.server.asked.token).toBe(2); // the code, and one refresh
    expect(plane.server.counts.refreshes).toBe(1);
    expect(await plane.server.accepts(all[0]?.accessToken ?? '')).toBe(true);
    plane.advance(HOUR_SECONDS + 1);
    expect(await plane.server.accepts((await fresh(plane)).accessToken)).toBe(true);
  });

  it('is refreshed by somebody else when who began it is gone', async () => {
    const plane = await aGrantedPlane();
    plane.advance(HOUR_SECONDS + 1);
    const held = { lease_id: 'somebody', lease_until: plane.deps.clock.now() + 20_000 };
    await transact(plane.deps.table, [update('lease', keyOfToken(plane.token), { set: held })]);
    plane.advance(21);
    expect(await plane.server.accepts((await fresh(plane)).accessToken)).toBe(true);
    expect(await current(plane)).not.toHaveProperty('lease_id');
  });
});

describe('a provider that fails', () => {
  it('leaves the grant as it is: the stored token while it is valid, then 503 with the advice to try again', async () => {
    const plane = await aGrantedPlane();
    plane.server.faults.token = 500;
    plane.advance(HOUR_SECONDS - 60);
    expect((await fresh(plane)).accessToken).toBe(await stored(plane));
    plane.advance(120);
    const asked = plane.server.asked.token ?? 0;
    const seen = await current(plane);
    const refusals = await Promise.all(
      Array.from({ length: 50 }, () => refusal(freshAccessToken(plane.deps, seen, plane.provider))),
    );
    expect(new Set(refusals.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(refusals[0]).toEqual({
      status: 503,
      detail: "OAuth provider 'acme' does not answer as it should at the moment; try again.",
      headers: { 'retry-after': '2' },
    });
    expect(plane.server.asked.token).toBe(asked + 1);
    expect(await current(plane)).toMatchObject({ status: 'active', version: 1 });
    plane.server.faults.token = undefined;
    plane.advance(3);
    expect(await plane.server.accepts((await fresh(plane)).accessToken)).toBe(true);
  });

  it('by hanging keeps nobody waiting for longer than 5 s, and loses nothing', async () => {
    const plane = await aGrantedPlane();
    plane.server.faults.token = 'hang';
    plane.advance(HOUR_SECONDS - 60);
    const begunAt = performance.now();
    const first = fresh(plane);
    await until(async () => (await current(plane)).lease_id !== undefined, {
      timeoutMs: 5_000,
      what: 'the first one to ask the provider',
    });
    const second = await fresh(plane);
    const secondAt = performance.now();
    const answers = [await first, second];
    expect(performance.now() - begunAt).toBeLessThan(5_000);
    // Who finds it being refreshed has no need to wait while it is good.
    expect(performance.now() - secondAt).toBeGreaterThan(2_000);
    const before = await stored(plane);
    expect(answers.map(({ accessToken }) => accessToken)).toEqual([before, before]);
    expect(await current(plane)).toMatchObject({ status: 'active', version: 1 });
  });

  it('for this client alone is no end of the grant either', async () => {
    const plane = await aGrantedPlane();
    const { sealed: _, ...withoutSecret } = plane.provider;
    await storeProvider(plane, { ...withoutSecret, token_endpoint_auth_method: 'none' });
    plane.advance(HOUR_SECONDS + 1);
    const wrong = { ...withoutSecret, token_endpoint_auth_method: 'none' as const };
    const asked = freshAccessToken(plane.deps, await current(plane), wrong);
    expect(await refusedWith(asked)).toMatch(/^503 /);
    expect(await current(plane)).toMatchObject({ status: 'active', version: 1 });
  });
});

describe('a grant', () => {
  const OVER =
    "409 token_expired: OAuth provider 'acme' takes this grant no more; ask for consent again with POST /v2/auth/authenticate.";

  it('that the provider takes no more needs consent again; others go on', async () => {
    const plane = await aGrantedPlane();
    const other = await aGrant(plane, plane.server, plane.provider, { agentId: 'other' });
    const { refresh_token = '' } = await openTokens(plane.deps, { ...plane.token, token_id: plane.token.id });
    const client = await clientOf(plane.deps, plane.provider);
    await plane.deps.oauth.revoke(client, refresh_token, 'refresh_token', AbortSignal.timeout(20_000));
    plane.advance(HOUR_SECONDS + 1);
    const seen = await current(plane);
    const refusals = await Promise.all(
      Array.from({ length: 5 }, () => refusedWith(freshAccessToken(plane.deps, seen, plane.provider))),
    );
    expect(refusals).toEqual(refusals.map(() => OVER));
    expect(plane.server.asked.token).toBe(3);
    expect(await current(plane)).toMatchObject({ status: 'expired', version: 2 });
    const kept = await freshAccessToken(plane.deps, other, plane.provider);
    expect(await plane.server.accepts(kept.accessToken)).toBe(true);
    const again = await aGrant(plane, plane.server, plane.provider);
    expect(again.id).toBe(plane.token.id);
    expect(await plane.server.accepts((await fresh(plane)).accessToken)).toBe(true);
  });

  it('without a refresh token ends with its access token', async () => {
    const plane = await aGrantedPlane();
    const change = { set: { has_refresh_token: false, refresh_from: plane.token.expires_at } };
    await transact(plane.deps.table, [update('token', keyOfToken(plane.token), change)]);
    plane.advance(HOUR_SECONDS - 60);
    expect((await fresh(plane)).accessToken).toBe(await stored(plane));
    plane.advance(120);
    expect(await refusedWith(fresh(plane))).toBe(OVER);
    expect(plane.server.asked.token).toBe(1);
  });

  it('is sent to no other server than the one that gave it, whatever its provider names by then', async () => {
    const plane = await aGrantedPlane();
    const elsewhere = await anOAuthProvider();
    plane.advance(HOUR_SECONDS + 1);
    for (const changed of [
      { ...plane.provider, token_url: elsewhere.tokenUrl, revocation_url: elsewhere.revocationUrl },
      { ...plane.provider, id: plane.deps.clock.randomId() },
    ]) {
      expect(await refusedWith(freshAccessToken(plane.deps, await current(plane), changed))).toBe(OVER);
      await storeProvider(plane, changed);
    }
    const params = { token_id: plane.token.id };
    await deleteToken(plane.deps, { params }, plane.caller);
    expect(elsewhere.asked).toEqual({});
    expect((await allItems(plane.deps.table)).map(({ entity }) => entity)).not.toContain('oauth_revocation');
  });
});

describe('while a refresh is under way', () => {
  it('a deleted token stays deleted, and what the refresh gave is revoked', async () => {
    const plane = await aGrantedPlane();
    plane.advance(HOUR_SECONDS + 1);
    const { held, began, letGo } = heldBack(plane);
    const asked = refusedWith(fresh(held));
    await began;
    await deleteToken(plane.deps, { params: { token_id: plane.token.id } }, plane.caller);
    letGo();
    expect(await asked).toBe(`404 OAuth token ID ${plane.token.id} not found.`);
    const [left] = (await allItems(plane.deps.table)).filter(({ entity }) => entity === 'oauth_revocation');
    const opened = await openTokens(plane.deps, {
      tenant_id: plane.caller.tenantId,
      token_id: plane.token.id,
      sealed: String(left?.sealed),
    });
    await revokeDue(plane.deps, { all: true }, (error) => expect.fail(String(error)));
    expect(await plane.server.accepts(opened.access_token)).toBe(false);
  });

  it('a new consent counts, not what the refresh gave', async () => {
    const plane = await aGrantedPlane();
    plane.advance(HOUR_SECONDS + 1);
    const { held, began, letGo } = heldBack(plane);
    const asked = fresh(held);
    await began;
    const again = await aGrant(plane, plane.server, plane.provider);
    letGo();
    expect((await asked).accessToken).toBe(await stored({ ...plane, token: again }));
    expect(await current(plane)).toMatchObject({ id: again.id, version: 2, status: 'active' });
  });
});
