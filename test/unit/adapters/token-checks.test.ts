import { describe, expect, it } from 'vitest';
import { AddressRefused } from '../../../lib/adapters/outbound/guarded-fetch.ts';
import { createTokenChecks } from '../../../lib/adapters/outbound/token-checks.ts';
import { HostFailed } from '../../../lib/adapters/repository-lists.ts';
import type { IntegrationType } from '../../../lib/contract/integration-types.ts';

const TOKEN = 'a-secret-token';

/** What a host of this type answers, and what it was asked. */
async function checked(type: IntegrationType, answer: Response, host = 'git.example') {
  const asked: { url: string; authorization: string | undefined }[] = [];
  const checks = createTokenChecks(async (url, init) => {
    asked.push({ url: String(url), authorization: init?.headers?.authorization });
    return answer;
  });
  return { token: await checks.check({ type, host, token: TOKEN }), asked };
}

const json = (body: object, headers: Record<string, string> = {}) => Response.json(body, { headers });
const nothing = {
  ...{ isTaken: true, user: undefined, expiresAt: undefined, scopes: undefined },
  ...{ mayRead: undefined, maySetStatuses: undefined, missing: [] },
};

describe('a token of GitHub', () => {
  it('of the classic kind tells its scopes, and when it ends', async () => {
    const headers = {
      'x-oauth-scopes': 'read:org, repo',
      'github-authentication-token-expiration': '2026-12-01 10:00:00 UTC',
    };
    const { token, asked } = await checked('github', json({ login: 'ada' }, headers), 'github.com');
    expect(asked).toEqual([{ url: 'https://api.github.com/user', authorization: `Bearer ${TOKEN}` }]);
    expect(token).toEqual({
      ...{ isTaken: true, user: 'ada', expiresAt: '2026-12-01T10:00:00.000Z', scopes: ['read:org', 'repo'] },
      ...{ mayRead: true, maySetStatuses: true, missing: [] },
    });
  });

  it.each([
    ['', [], false, false, ['repo']],
    ['gist', ['gist'], false, false, ['repo']],
    ['repo:status', ['repo:status'], false, true, ['repo']],
    ['public_repo', ['public_repo'], true, true, []],
  ])('with the scopes %j lacks what it lacks', async (said, scopes, mayRead, maySetStatuses, missing) => {
    const { token } = await checked('github', json({ login: 'ada' }, { 'x-oauth-scopes': said }));
    expect(token).toMatchObject({ scopes, mayRead, maySetStatuses, missing });
  });

  it('of the fine-grained kind tells none, and one of an app not even whose it is', async () => {
    const { token } = await checked('github', json({ login: 'ada' }));
    expect(token).toEqual({ ...nothing, user: 'ada' });
    const app = await checked(
      'github',
      Response.json({ message: 'Resource not accessible' }, { status: 403 }),
    );
    expect(app.token).toEqual(nothing);
    expect(app.asked[0]?.url).toBe('https://git.example/api/v3/user');
  });
});

describe('a token of GitLab', () => {
  it.each([
    [['api'], true, true, []],
    [['read_repository', 'read_api'], true, false, []],
    [['read_repository'], true, false, ['read_api']],
    [['read_user'], false, false, ['read_repository', 'read_api']],
  ])('tells its scopes: %j', async (scopes, mayRead, maySetStatuses, missing) => {
    const { token, asked } = await checked(
      'gitlab',
      json({ name: 'slipway', scopes, expires_at: '2027-01-31', active: true }),
    );
    expect(asked[0]?.url).toBe('https://git.example/api/v4/personal_access_tokens/self');
    expect(token).toEqual({
      ...{ isTaken: true, user: 'slipway', expiresAt: '2027-01-31T00:00:00.000Z', scopes },
      ...{ mayRead, maySetStatuses, missing },
    });
  });

  it.each([400, 404])('of another kind is taken without a word (HTTP %d)', async (status) => {
    const { token } = await checked('gitlab', Response.json({ message: 'no' }, { status }));
    expect(token).toEqual(nothing);
  });
});

describe('a token of Gitea', () => {
  it('tells whose it is, or that it may not be asked', async () => {
    const { token, asked } = await checked('gitea', json({ login: 'ada' }), 'git.example:8443');
    expect(asked).toEqual([{ url: 'https://git.example:8443/api/v1/user', authorization: `token ${TOKEN}` }]);
    expect(token).toEqual({ ...nothing, user: 'ada' });
    const other = await checked('gitea', Response.json({ message: 'required scope' }, { status: 403 }));
    expect(other.token).toEqual({ ...nothing, missing: ['read:user'] });
  });
});

describe('a token of Bitbucket', () => {
  it.each([
    ['repository', true, false, []],
    ['repository:write, pullrequest', true, true, []],
    ['account', false, false, ['repository']],
  ])('tells its scopes: %s', async (said, mayRead, maySetStatuses, missing) => {
    const headers = { 'x-oauth-scopes': said };
    const { token, asked } = await checked('bitbucket', json({ values: [] }, headers), 'bitbucket.org');
    expect(asked[0]?.url).toContain('https://api.bitbucket.org/2.0/repositories?');
    expect(token).toMatchObject({ mayRead, maySetStatuses, missing });
  });
});

describe('a host', () => {
  it('that does not take a token says so', async () => {
    const { token } = await checked('gitlab', new Response(`what ${TOKEN} is`, { status: 401 }));
    expect(token).toEqual({ ...nothing, isTaken: false });
  });

  it.each([
    ['answers with its own trouble', async () => new Response('', { status: 502 })],
    ['leads elsewhere', async () => new Response('', { status: 302 })],
    ['is no such host', async () => new Response('<html>', { status: 404 })],
    ['breaks the connection', () => Promise.reject(new Error(`to ${TOKEN}`))],
    ['is late', () => Promise.reject(new DOMException('', 'TimeoutError'))],
    ['is not public', () => Promise.reject(new AddressRefused('not public'))],
  ])('that %s is named, without the token', async (_, fetch) => {
    const asked = createTokenChecks(fetch).check({ type: 'github', host: 'git.example', token: TOKEN });
    const error: unknown = await asked.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HostFailed);
    expect(String(error)).toContain('git.example');
    expect(String(error)).not.toContain(TOKEN);
  });
});
