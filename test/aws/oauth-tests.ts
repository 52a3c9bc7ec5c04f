import { expect, it } from 'vitest';
import { formOf } from '../support/oauth/browser.ts';
import { api, expectApi } from '../support/programs/program.ts';
import type { Tour } from './tour.ts';

const PROVIDER = 'mailbox';
/** Nobody answers there: names that end so are of nothing (RFC 6761). */
const AT = 'https://idp.invalid';

type Asked = { url: string; auth_id: string };

/** Consent as far as it goes without a provider, which functions here do not reach. */
export function consentTests(at: () => Tour): void {
  const ask = <T>(method: string, path: string, body: object | undefined, status: number) =>
    expectApi<T>(at().slipway, method, path, body, status);
  const authenticate = <T>(user_id: string, status = 200): Promise<T> =>
    ask<T>('POST', '/v2/auth/authenticate', { provider: PROVIDER, scopes: ['read'], user_id }, status);

  /** A refusal that is kept for who sends it again. */
  const refusedOnce = async (path: string, body: object): Promise<number> => {
    const { baseUrl, apiKey } = at().slipway;
    const headers = { 'x-api-key': apiKey, 'idempotency-key': path, 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.status;
  };

  /**
   * Opens a page at its path, which is all that the name it is given out under has in common with where it is
   * reached.
   */
  const open = (address: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(address, AT);
    return fetch(at().slipway.baseUrl + pathname + search, { redirect: 'manual', ...init });
  };

  /** Presses the button of the page: the cookie of this browser, and the state that the provider is sent. */
  const begin = async ({ url }: Asked): Promise<{ cookie: string; state: string }> => {
    const page = await open(url);
    expect(page.status).toBe(200);
    const pressed = await open(url, { method: 'POST', body: formOf(await page.text()) });
    expect(pressed.status).toBe(303);
    const { origin, searchParams } = new URL(pressed.headers.get('location') ?? AT);
    expect(origin).toBe(AT);
    const [cookie = ''] = (pressed.headers.getSetCookie()[0] ?? '').split(';');
    return { cookie, state: searchParams.get('state') ?? '' };
  };

  it('asks people for consent, and says when a provider does not answer', async () => {
    const provider = { provider_id: PROVIDER, name: 'mailbox', client_id: 'c', client_secret: 's' };
    const addresses = { auth_url: `${AT}/auth`, token_url: `${AT}/token` };
    await ask('POST', '/v2/auth/providers', { ...provider, ...addresses }, 200);

    const asked = await authenticate<Asked>('in a browser');
    const { cookie, state } = await begin(asked);
    const callback = `/v2/auth/callback/${PROVIDER}?state=${state}&code=a-code`;
    expect((await open(callback)).status).toBe(403);
    const page = await open(callback, { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('was not connected')]);
    const waited = await ask('GET', `/v2/auth/wait/${asked.auth_id}`, undefined, 200);
    expect(waited).toEqual({ status: 'not_found', error: 'provider_unavailable' });
    const code = { confirmation_code: 'none' };
    expect(await refusedOnce(`/v2/auth/complete/${asked.auth_id}`, code)).toBe(409);

    const atFrontEnd = await begin(await authenticate<Asked>('at a front end'));
    const body = { state: atFrontEnd.state, code: 'a-code' };
    await ask('POST', `/v2/auth/callback/${PROVIDER}`, body, 503);
    expect(await refusedOnce(`/v2/auth/callback/${PROVIDER}`, body)).toBe(400);
  });

  it('gives a token that is stored, and asks a provider for another one when it is over', async () => {
    const grant = { provider_id: PROVIDER, scopes: ['read'], refresh_token: 'for-another' };
    const path = '/v2/auth/tokens/import';
    await ask('POST', path, { ...grant, access_token: 'of-today', user_id: 'today' }, 200);
    expect(await authenticate('today')).toMatchObject({ status: 'completed', token: 'of-today' });
    const over = { user_id: 'yesterday', expires_at: '2026-01-01T00:00:00Z' };
    await ask('POST', path, { ...grant, ...over, access_token: 'of-yesterday' }, 200);
    await authenticate('yesterday', 503);
    expect(await api(at().slipway, 'DELETE', `/v2/auth/tokens?provider_id=${PROVIDER}`)).toMatchObject({
      body: { deleted: 2 },
    });
    await ask('DELETE', `/v2/auth/providers/${PROVIDER}`, undefined, 200);
  });
}

type Made = { id: string };
const TOKENS_OF = 'calendar';

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
    const provider = { provider_id: TOKENS_OF, name: 'calendar', client_id: 'c', client_secret: 's' };
    const addresses = { auth_url: `${AT}/auth`, token_url: `${AT}/token` };
    await ask('POST', '/v2/auth/providers', { ...provider, ...addresses }, 200);
    const tokens = { access_token: 'of-the-calendar', refresh_token: 'for-another' };
    const body = { provider_id: TOKENS_OF, ...tokens };
    const { id } = await once<Made>('POST', '/v2/auth/tokens/import', body);
    const query = `?provider_id=${TOKENS_OF}`;
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
    expect(deleted).toMatchObject({ provider_id: TOKENS_OF, deleted: 1 });
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
