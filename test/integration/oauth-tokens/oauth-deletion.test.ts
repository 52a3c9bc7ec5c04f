import { describe, expect, it } from 'vitest';
import type { Access } from '../../../lib/contract/access.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import type { OAuthToken } from '../../../lib/core/items/oauth-token-shapes.ts';
import { openTokens } from '../../../lib/core/oauth/sealed-tokens.ts';
import { deleteProvider } from '../../../lib/features/oauth-providers/delete.ts';
import { revokeDue } from '../../../lib/features/oauth-tokens/revoke.ts';
import { aStoredProvider } from '../../support/oauth/grants.ts';
import { anOAuthProvider } from '../../support/oauth/provider.ts';
import {
  aGrantingWorld,
  connect,
  connections,
  entities,
  exists,
  type GrantingWorld,
  grant,
  list,
  remove,
  removeAll,
  token,
} from '../../support/oauth/requests.ts';
import { limited } from '../../support/table/limited-table.ts';
import { refusedWith } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

const { access } = functionRows.revocations;
const ofProvider = { provider_id: 'acme' };
const noError = (error: unknown) => expect.fail(String(error));

describe('deletion', () => {
  const accessTokens = (world: GrantingWorld, tokens: OAuthToken[]) =>
    Promise.all(
      tokens.map(async (made) => (await openTokens(world.deps, { ...made, token_id: made.id })).access_token),
    );

  it('of all takes their connections, and the provider takes them no more', async () => {
    const world = await aGrantingWorld();
    const made = [await grant(world), await grant(world, { agentId: 'support' })];
    const { id } = await connect(world, 'support', made[0]?.id ?? '');
    await connect(world, 'other', made[0]?.id ?? '');
    const given = await accessTokens(world, made);
    expect(await removeAll(world)).toEqual({
      message: "Deleted 2 tokens of OAuth provider 'acme'.",
      provider_id: 'acme',
      deleted: 2,
    });
    for (const each of given) expect(await world.server.accepts(each)).toBe(false);
    expect([await list(world), await connections(world, 'support')]).toEqual([[], []]);
    expect(await refusedWith(token(world, 'support', id))).toBe(`404 Connection ID ${id} not found.`);
    expect(await entities(world)).toEqual(['audit_event', 'audit_event', 'oauth_provider']);
    expect(await removeAll(world)).toMatchObject({
      message: "Deleted 0 tokens of OAuth provider 'acme'.",
      deleted: 0,
    });
  });

  it('answers within 5 s when the provider hangs; it is told behind the answer, as soon as it listens', async () => {
    const world = await aGrantingWorld();
    const made = await grant(world);
    const [given = ''] = await accessTokens(world, [made]);
    world.server.faults.revocation = 'hang';
    const begunAt = performance.now();
    await remove(world, made.id);
    expect(performance.now() - begunAt).toBeLessThan(5_000);
    expect(await exists(world)).toBe(false);
    expect(await entities(world)).toContain('oauth_revocation');
    const used = new Set<Access>();
    expect(await revokeDue(limited(world.deps, access, used), { all: false }, noError)).toEqual({
      looked: 0,
      failed: 0,
    });
    world.server.faults.revocation = 503;
    world.advance(61);
    const failures: string[] = [];
    const tried = await revokeDue(limited(world.deps, access, used), { all: false }, (_, id) =>
      failures.push(id),
    );
    expect([tried, failures]).toEqual([{ looked: 1, failed: 1 }, [made.id]]);
    world.server.faults.revocation = undefined;
    expect(await revokeDue(limited(world.deps, access, used), { all: false }, noError)).toEqual({
      looked: 0,
      failed: 0,
    });
    world.advance(61);
    expect(await revokeDue(limited(world.deps, access, used), { all: false }, noError)).toEqual({
      looked: 1,
      failed: 0,
    });
    expect(await world.server.accepts(given)).toBe(false);
    expect(await entities(world)).not.toContain('oauth_revocation');
    // The access that the function's row declares, and no other.
    expect([...used].toSorted()).toEqual(access.filter((word) => /^(?:table|due):/.test(word)).toSorted());
  });

  it.each<[string, (world: GrantingWorld) => Promise<unknown>]>([
    ['is gone', ({ deps, caller }) => deleteProvider(deps, { params: ofProvider }, caller)],
    [
      'is another one by now',
      async (world) => {
        await deleteProvider(world.deps, { params: ofProvider }, world.caller);
        await aStoredProvider(world, world.server);
      },
    ],
  ])('tells nothing to a provider that %s', async (_, change) => {
    const world = await aGrantingWorld();
    world.server.faults.revocation = 503;
    await remove(world, (await grant(world)).id);
    world.server.faults.revocation = undefined;
    await change(world);
    world.advance(61);
    const { revocations } = world.server.counts;
    expect(await revokeDue(world.deps, { all: false }, noError)).toEqual({ looked: 1, failed: 0 });
    expect(world.server.counts.revocations).toBe(revocations);
    expect(await entities(world)).not.toContain('oauth_revocation');
  });

  it('tries a provider that is away for a day, ever more seldom, and then forgets what it had', async () => {
    const world = await aGrantingWorld();
    world.server.faults.revocation = 500;
    await remove(world, (await grant(world)).id);
    let tries = 0;
    for (let hours = 0; hours < 26; hours += 1) {
      world.advance(3601);
      tries += (await revokeDue(world.deps, { all: false }, () => undefined)).looked;
    }
    expect(tries).toBeGreaterThan(20);
    expect(tries).toBeLessThan(26);
    expect(await entities(world)).not.toContain('oauth_revocation');
  });

  it('where nothing can be revoked keeps nothing', async () => {
    const world = await aWorld();
    const server = await anOAuthProvider();
    const provider = await aStoredProvider(world, server, { revocation_url: undefined });
    const here = { ...world, server, provider };
    await remove(here, (await grant(here)).id);
    expect(await entities(here)).toEqual(['audit_event', 'oauth_provider']);
    expect(server.asked.revocation).toBeUndefined();
  });
});
