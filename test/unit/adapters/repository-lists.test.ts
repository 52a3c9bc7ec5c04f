import { describe, expect, it } from 'vitest';
import { AddressRefused } from '../../../lib/adapters/outbound/guarded-fetch.ts';
import { createRepositoryLists } from '../../../lib/adapters/outbound/repository-lists.ts';
import { HostFailed, ListingRefused } from '../../../lib/adapters/repository-lists.ts';
import type { IntegrationType } from '../../../lib/contract/integration-types.ts';

const TOKEN = 'a-secret-token';

const gitHub = (n: number) => ({
  id: n,
  name: `app-${n}`,
  owner: { login: 'team' },
  clone_url: `https://git.example/team/app-${n}.git`,
  default_branch: 'main',
});
const gitLab = (n: number) => ({
  id: n,
  path: `app-${n}`,
  namespace: { full_path: 'group/team' },
  http_url_to_repo: `https://git.example/group/team/app-${n}.git`,
  default_branch: null,
});
const bitbucket = (n: number) => ({
  slug: `app-${n}`,
  workspace: { slug: 'team' },
  links: { html: { href: `https://git.example/team/app-${n}` } },
  mainbranch: { name: 'main' },
});

/** A host with so many repositories, which gives fifty at a time. */
function aHost(one: (n: number) => object, wrap: (list: object[]) => unknown, count = 120) {
  const asked: { url: URL; authorization: string | undefined }[] = [];
  const lists = createRepositoryLists(async (address, init) => {
    const url = new URL(address);
    asked.push({ url, authorization: init?.headers?.authorization });
    const from = (Number(url.searchParams.get('page')) - 1) * 50;
    const length = Math.max(0, Math.min(50, count - from));
    return Response.json(wrap(Array.from({ length }, (_, at) => one(from + at))));
  });
  return { lists, asked };
}

const access = (type: IntegrationType, host = 'git.example') => ({ type, host, token: TOKEN });
const list = (value: unknown) => value;

describe('the repositories of a host', () => {
  it.each([
    ['github', gitHub, list, '/api/v3/user/repos', 'team', 'main', 'Bearer'],
    ['gitea', gitHub, list, '/api/v1/user/repos', 'team', 'main', 'token'],
    ['gitlab', gitLab, list, '/api/v4/projects', 'group/team', undefined, 'Bearer'],
    [
      'bitbucket',
      bitbucket,
      (values: unknown) => ({ values }),
      '/2.0/repositories',
      'team',
      'main',
      'Bearer',
    ],
  ] as const)('of type %s are listed by its API', async (type, one, wrap, path, owner, branch, scheme) => {
    const { lists, asked } = aHost(one, wrap);
    const page = await lists.list(access(type), { offset: 40, limit: 100 });
    expect(page.map(({ name }) => name)).toEqual(Array.from({ length: 80 }, (_, at) => `app-${at + 40}`));
    expect(page[0]).toMatchObject({ owner, url: expect.stringMatching(/app-40(\.git)?$/) });
    expect(page[0]?.defaultBranch).toBe(branch);
    expect(page[0]?.id).toBe(type === 'bitbucket' ? undefined : 40);
    expect(asked.map(({ url }) => url.pathname)).toEqual(Array(3).fill(path));
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set([`${scheme} ${TOKEN}`]));
  });

  it('of github.com and bitbucket.org are asked for at their APIs', async () => {
    const { lists, asked } = aHost(gitHub, list);
    await lists.list(access('github', 'github.com'), { offset: 0, limit: 20 });
    await lists.list(access('bitbucket', 'bitbucket.org'), { offset: 0, limit: 20 }).catch(() => undefined);
    expect(asked.map(({ url }) => url.host)).toEqual(['api.github.com', 'api.bitbucket.org']);
  });

  it.each([
    [401, ListingRefused, 'git.example does not take the token (HTTP 401)'],
    [403, ListingRefused, 'git.example does not take the token (HTTP 403)'],
    [500, HostFailed, 'git.example (HTTP 500)'],
    [302, HostFailed, 'git.example (HTTP 302)'],
  ])('are refused in words at HTTP %d', async (status, kind, message) => {
    const lists = createRepositoryLists(async () => new Response(`what ${TOKEN} is`, { status }));
    const asked = lists.list(access('github'), { offset: 0, limit: 1 });
    await expect(asked).rejects.toThrow(kind);
    await expect(asked).rejects.toThrow(message);
  });

  it.each([
    ['an answer that is none', async () => Response.json({ message: TOKEN }), HostFailed],
    ['an answer that is no JSON', async () => new Response('<html>'), HostFailed],
    ['a connection that breaks', () => Promise.reject(new Error(`to ${TOKEN}`)), HostFailed],
    ['a late answer', () => Promise.reject(new DOMException('', 'TimeoutError')), HostFailed],
    ['an address that is not public', () => Promise.reject(new AddressRefused('not public')), ListingRefused],
  ])('are refused in words, without the token: %s', async (_, fetch, kind) => {
    const asked = createRepositoryLists(fetch).list(access('gitlab'), { offset: 0, limit: 1 });
    const error: unknown = await asked.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).toContain('git.example');
    expect(String(error)).not.toContain(TOKEN);
  });
});
