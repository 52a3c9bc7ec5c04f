import { describe, expect, it } from 'vitest';
import {
  aGrantingWorld,
  connect,
  connections,
  disconnect,
  entities,
  grant,
  list,
  others,
  remove,
  token,
} from '../../support/oauth/requests.ts';
import { refusedWith } from '../../support/world/requests.ts';

describe('connections', () => {
  it('let an agent use a token, show what it is, and end without it', async () => {
    const world = await aGrantingWorld();
    const made = await grant(world);
    const connected = await connect(world, 'support', made.id);
    expect(connected).toEqual({
      id: expect.any(String),
      agent_id: 'support',
      oauth_token_id: made.id,
      provider_id: 'acme',
      provider_account_label: made.account_label ?? null,
      scopes: made.scopes,
      expires_at: new Date(made.expires_at ?? 0).toISOString(),
      created_by: world.caller.userId,
      created_at: expect.any(String),
    });
    expect(await connect(world, 'support', made.id)).toEqual(connected);
    expect(await connections(world, 'support')).toEqual([connected]);
    expect(await connections(world, 'another')).toEqual([]);
    const { access_token, ...rest } = await token(world, 'support', connected.id);
    expect(await world.server.accepts(access_token)).toBe(true);
    expect(rest).toEqual({
      token_type: 'Bearer',
      provider_id: 'acme',
      scopes: made.scopes,
      expires_at: connected.expires_at,
    });
    await disconnect(world, 'support', connected.id);
    const unknown = `404 Connection ID ${connected.id} not found.`;
    expect(await refusedWith(token(world, 'support', connected.id))).toBe(unknown);
    expect(await refusedWith(disconnect(world, 'support', connected.id))).toBe(unknown);
    expect(await list(world)).toHaveLength(1);
    await connect(world, 'support', made.id);
  });

  it('are nobody else’s', async () => {
    const world = await aGrantingWorld();
    const { id } = await connect(world, 'support', (await grant(world)).id);
    for (const other of others(world)) {
      expect(await connections(other, 'support')).toEqual([]);
      for (const ask of [token, disconnect])
        expect(await refusedWith(ask(other, 'support', id))).toBe(`404 Connection ID ${id} not found.`);
    }
    expect(await refusedWith(token(world, 'another', id))).toBe(`404 Connection ID ${id} not found.`);
    expect(await connections(world, 'support')).toHaveLength(1);
  });

  it('of a token are forty at most, all of which go with it', async () => {
    const world = await aGrantingWorld();
    const made = await grant(world);
    const tries = Array.from({ length: 43 }, (_, n) => connect(world, `agent-${n}`, made.id));
    const done = await Promise.allSettled(tries);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
    expect(await refusedWith(connect(world, 'one more', made.id))).toBe(
      `409 OAuth token ${made.id} has 40 connections, which is as many as it can have.`,
    );
    await remove(world, made.id);
    expect(new Set(await entities(world))).toEqual(new Set(['audit_event', 'oauth_provider']));
  });

  it('and the deletion of their token leave nothing over, whichever is first', async () => {
    const world = await aGrantingWorld();
    const made = await grant(world);
    const racing = [0, 1, 2].map((n) => connect(world, `agent-${n}`, made.id).catch(() => undefined));
    await Promise.all([...racing, remove(world, made.id)]);
    expect(new Set(await entities(world))).toEqual(new Set(['audit_event', 'oauth_provider']));
  });
});
