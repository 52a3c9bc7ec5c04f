import { describe, expect, it } from 'vitest';
import {
  aGrantingPlane,
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
    const plane = await aGrantingPlane();
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
    const plane = await aGrantingPlane();
    const { id } = await connect(plane, 'support', (await grant(plane)).id);
    for (const other of others(plane)) {
      expect(await connections(other, 'support')).toEqual([]);
      for (const ask of [token, disconnect])
        expect(await refusedWith(ask(other, 'support', id))).toBe(`404 Connection ID ${id} not found.`);
    }
    expect(await refusedWith(token(plane, 'another', id))).toBe(`404 Connection ID ${id} not found.`);
    expect(await connections(plane, 'support')).toHaveLength(1);
  });

  it('of a token are forty at most, all of which go with it', async () => {
    const plane = await aGrantingPlane();
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
    const plane = await aGrantingPlane();
    const made = await grant(plane);
    const racing = [0, 1, 2].map((n) => connect(plane, `agent-${n}`, made.id).catch(() => undefined));
    await Promise.all([...racing, remove(plane, made.id)]);
    expect(new Set(await entities(plane))).toEqual(new Set(['audit_event', 'oauth_provider']));
  });
});
