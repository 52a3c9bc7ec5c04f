import { expect, it } from 'vitest';
import { api, expectApi } from '../support/programs/program.ts';
import type { Tour } from './tour.ts';

type Made = { id: string };
const PROVIDER = 'calendar';
/** Nobody answers there: names that end so are of nothing (RFC 6761). */
const AT = 'https://idp.invalid';

/**
 * What users do with tokens of OAuth providers; functions here reach no provider, which takes a public
 * address and a certificate.
 */
export function oauthTests(at: () => Tour): void {
  const ask = <T>(method: string, path: string, body: object | undefined, status: number) =>
    expectApi<T>(at().slipway, method, path, body, status);

  /** With a key under which the answer is kept. */
  const once = async <T>(method: string, path: string, body: object): Promise<T> => {
    const { baseUrl, apiKey } = at().slipway;
    const headers = { 'x-api-key': apiKey, 'idempotency-key': path, 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    return (await response.json()) as T; // as the description of the route says
  };

  it('keeps OAuth tokens, lets agents use them, and forgets them', async () => {
    const provider = { provider_id: PROVIDER, name: 'calendar', client_id: 'c', client_secret: 's' };
    const addresses = { auth_url: `${AT}/auth`, token_url: `${AT}/token` };
    await ask('POST', '/v2/auth/providers', { ...provider, ...addresses }, 200);
    const tokens = { access_token: 'of-the-calendar', refresh_token: 'for-another' };
    const body = { provider_id: PROVIDER, ...tokens };
    const { id } = await once<Made>('POST', '/v2/auth/tokens/import', body);
    const query = `?provider_id=${PROVIDER}`;
    expect(await ask('GET', `/v2/auth/tokens${query}`, undefined, 200)).toMatchObject([{ id }]);
    expect(await ask('GET', `/v2/auth/tokens/exists${query}`, undefined, 200)).toEqual({ has_token: true });
    await once('PATCH', `/v2/auth/tokens/${id}/metadata`, { is_default: true });
    const agent = '/v2/auth/agents/support/connections';
    const { id: connectionId } = await ask<Made>('POST', agent, { oauth_token_id: id }, 201);
    expect(await ask('GET', agent, undefined, 200)).toMatchObject({ data: [{ id: connectionId }] });
    const given = await ask('POST', `${agent}/${connectionId}/token`, undefined, 200);
    expect(given).toMatchObject({ access_token: tokens.access_token });
    await ask('DELETE', `${agent}/${connectionId}`, undefined, 204);
    await ask('DELETE', `/v2/auth/tokens/${id}`, undefined, 204);
    const over = { ...body, expires_at: '2026-01-01T00:00:00Z' };
    const { id: another } = await ask<Made>('POST', '/v2/auth/tokens/import', over, 200);
    const { id: tired } = await ask<Made>('POST', agent, { oauth_token_id: another }, 201);
    expect(await api(at().slipway, 'POST', `${agent}/${tired}/token`)).toMatchObject({ status: 503 });
    const deleted = await ask('DELETE', `/v2/auth/tokens${query}`, undefined, 200);
    expect(deleted).toMatchObject({ provider_id: PROVIDER, deleted: 1 });
    expect(await ask('GET', agent, undefined, 200)).toEqual({ data: [] });
  });

  it('makes OAuth providers known, changes and forgets them', async () => {
    const path = '/v2/auth/providers/mail';
    const wanted = { provider_id: 'mail', name: 'mail', client_id: 'c' };
    const made = await once<Made>('POST', '/v2/auth/providers', {
      ...wanted,
      ...{ client_secret: 'never-shown', auth_url: `${AT}/auth`, token_url: `${AT}/token` },
    });
    expect(await ask('GET', path, undefined, 200)).toEqual(made);
    const byId = `/v2/auth/providers/${made.id}`;
    const changed = await once<Made>('PATCH', byId, { name: 'post', client_secret: 'never-shown-either' });
    expect(changed).toMatchObject({ id: made.id, name: 'post' });
    const listed = await ask<Made[]>('GET', '/v2/auth/providers', undefined, 200);
    expect(listed).toContainEqual(changed);
    expect(JSON.stringify(listed)).not.toContain('never-shown');
    const found = { provider_id: 'tools', name: 'tools', mcp_server_url: `${AT}/mcp` };
    expect(await api(at().slipway, 'POST', '/v2/auth/providers/mcp-discover', found)).toMatchObject({
      status: 503,
    });
    expect(await ask('DELETE', byId, undefined, 200)).toMatchObject({ provider_id: 'mail' });
    expect(await api(at().slipway, 'GET', path)).toMatchObject({ status: 404 });
  });
}
