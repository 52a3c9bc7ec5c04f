import { describe, expect, it } from 'vitest';
import { createHttpGit } from '../../../lib/adapters/aws/git.ts';
import { SourceError } from '../../../lib/adapters/git.ts';
import type { GitCredentials } from '../../../lib/adapters/git-credentials.ts';
import type { GuardedFetch } from '../../../lib/adapters/outbound/guarded-fetch.ts';

const MAIN = '1'.repeat(40);
const TAG = '2'.repeat(40);
const TAGGED = '3'.repeat(40);
const URL_ = 'https://git.example/team/app.git';

const packet = (text: string): string =>
  `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const FLUSH = '0000';

const capabilities = `${packet('# service=git-upload-pack\n')}${FLUSH}${packet('version 2\n')}${packet('ls-refs=unborn\n')}${FLUSH}`;
const refs: [name: string, line: string][] = [
  ['refs/heads/dev', `${MAIN} refs/heads/dev\n`],
  ['refs/heads/main', `${MAIN} refs/heads/main\n`],
  ['refs/heads/main-2', `${TAGGED} refs/heads/main-2\n`],
  ['refs/tags/v1', `${TAG} refs/tags/v1 peeled:${TAGGED}\n`],
];

const answer = (body: string, contentType: string): Response =>
  new Response(body, { headers: { 'content-type': contentType } });

/** Speaks protocol version 2, as today's git servers do: ref names by prefix. */
const gitServer: GuardedFetch = async (url, init) => {
  if (String(url).endsWith('/info/refs?service=git-upload-pack')) {
    return answer(capabilities, 'application/x-git-upload-pack-advertisement');
  }
  const [, prefix = ''] =
    /ref-prefix ([^\n]+?)(?:\n|0000|$)/.exec(Buffer.from(init?.body ?? '').toString()) ?? [];
  const found = refs.filter(([name]) => name.startsWith(prefix)).map(([, line]) => packet(line));
  return answer(`${found.join('')}${FLUSH}`, 'application/x-git-upload-pack-result');
};

const resolve = (send: GuardedFetch, ref: string, url = URL_, credentials?: GitCredentials) =>
  createHttpGit({ fetch: send }).resolve(url, ref, credentials);
const answering =
  (make: () => Response): GuardedFetch =>
  async () =>
    make();

describe('resolving a ref over HTTP', () => {
  it.each([
    ['main', MAIN],
    ['refs/heads/dev', MAIN],
    ['refs/tags/v1', TAGGED],
    ['A'.repeat(40), 'a'.repeat(40)],
    ['A'.repeat(64), 'a'.repeat(64)],
  ])('finds %s', async (ref, commit) => {
    expect(await resolve(gitServer, ref)).toBe(commit);
  });

  it('leaves ssh to the build', async () => {
    expect(await resolve(gitServer, 'main', 'ssh://git@git.example/app.git')).toBeUndefined();
    expect(await resolve(gitServer, 'main', 'git@git.example:app.git')).toBeUndefined();
  });

  it('names what is there when a ref is not', async () => {
    await expect(resolve(gitServer, 'v1')).rejects.toThrow(
      new SourceError(
        `Ref 'v1' does not exist in ${URL_}; branches there: dev, main, main-2; a tag of that name is 'refs/tags/v1'`,
      ),
    );
  });

  it('says of what looks like a part of a commit that the whole is needed', async () => {
    await expect(resolve(gitServer, 'a1b2c3d')).rejects.toThrow(
      "Ref 'a1b2c3d' does not exist in https://git.example/team/app.git; branches there: dev, main, main-2; a commit is named by all 40 characters of its id (64 in a repository with SHA-256)",
    );
    await expect(resolve(gitServer, 'decade')).rejects.toThrow(/a commit is named/);
    await expect(resolve(gitServer, 'abc')).rejects.toThrow(/branches there: dev, main, main-2$/);
    await expect(resolve(gitServer, 'feature')).rejects.toThrow(/branches there: dev, main, main-2$/);
  });

  it.each([
    [401, 'the server asks for credentials (HTTP 401): it is private or does not exist'],
    [404, 'there is no repository at this address (HTTP 404)'],
    [500, 'the server answered HTTP 500'],
  ])('says what HTTP %i means', async (status, reason) => {
    const refusing = answering(() => new Response('no', { status }));
    await expect(resolve(refusing, 'main')).rejects.toThrow(
      new SourceError(`Repository ${URL_} cannot be read: ${reason}`),
    );
  });

  it('shows a token to its own host, and to no other', async () => {
    const seen: (string | undefined)[] = [];
    const looking: GuardedFetch = (url, init) => {
      seen.push(init?.headers?.authorization);
      return gitServer(url, init);
    };
    const credentials = { host: 'git.example', token: 'the-token', submodules: false };
    await resolve(looking, 'main', URL_, credentials);
    const basic = `Basic ${Buffer.from('x-access-token:the-token').toString('base64')}`;
    expect(new Set(seen)).toEqual(new Set([basic]));
    seen.length = 0;
    for (const host of ['other.example', 'git.example:8443', 'example'])
      await resolve(looking, 'main', URL_, { ...credentials, host });
    await resolve(looking, 'main', 'https://git.example.evil/team/app.git', credentials);
    await resolve(looking, 'main', 'https://git.example:8443/team/app.git', credentials);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  it.each(['--upload-pack=x', MAIN.slice(1), `${MAIN}0`, MAIN.replace('1', 'G')])(
    'takes nothing for an object that is none: %s',
    async (oid) => {
      const lying: GuardedFetch = async (url, init) => {
        const real = await gitServer(url, init);
        const body = (await real.text()).replace(
          packet(`${MAIN} refs/heads/main\n`),
          packet(`${oid} refs/heads/main\n`),
        );
        return answer(body, real.headers.get('content-type') ?? '');
      };
      await expect(resolve(lying, 'main')).rejects.toThrow(
        `Repository ${URL_} cannot be read: the server does not answer as a git server does`,
      );
    },
  );

  it('takes an object of a repository that uses SHA-256', async () => {
    const long: GuardedFetch = async (url, init) => {
      const real = await gitServer(url, init);
      const line = packet(`${MAIN} refs/heads/main\n`);
      const body = (await real.text()).replace(line, packet(`${'a'.repeat(64)} refs/heads/main\n`));
      return answer(body, real.headers.get('content-type') ?? '');
    };
    expect(await resolve(long, 'main')).toBe('a'.repeat(64));
  });

  it('follows no redirect, and says where to', async () => {
    const location = 'https://git.example/new/app.git/info/refs?service=git-upload-pack';
    const moved = answering(() => new Response(null, { status: 301, headers: { location } }));
    await expect(resolve(moved, 'main')).rejects.toThrow('it has moved to https://git.example/new/app.git;');
  });

  it('tells a web page from a repository', async () => {
    const page = answering(() => answer('<html></html>', 'text/html'));
    await expect(resolve(page, 'main')).rejects.toThrow('does not answer as a git server does');
  });

  it('names what keeps it from connecting', async () => {
    const broken: GuardedFetch = async () => {
      throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND git.example') });
    };
    await expect(resolve(broken, 'main')).rejects.toThrow(
      'cannot be read: getaddrinfo ENOTFOUND git.example',
    );
  });

  it('gives up on a server that does not answer', async () => {
    const silent: GuardedFetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      });
    const git = createHttpGit({ fetch: silent, timeoutSeconds: 0.02 });
    await expect(git.resolve(URL_, 'main')).rejects.toThrow('cannot be read: no answer within 0.02 s');
  });

  it('takes an answer that breaks off for no answer, not for one without the ref', async () => {
    const broken = answering(() => {
      const begin = `${packet('# service=git-upload-pack\n')}${FLUSH}${packet(`${MAIN} HEAD\0x\n`)}`;
      let parts = 0;
      const pull = (controller: ReadableStreamDefaultController) => {
        parts += 1;
        if (parts === 1) controller.enqueue(Buffer.from(begin));
        else controller.error(new Error('terminated'));
      };
      const headers = { 'content-type': 'application/x-git-upload-pack-advertisement' };
      return new Response(new ReadableStream({ pull }), { headers });
    });
    await expect(resolve(broken, 'main')).rejects.toThrow(`Repository ${URL_} cannot be read: terminated`);
  });

  it('reads no endless answer', async () => {
    const begin = `${packet('# service=git-upload-pack\n')}${FLUSH}${packet(`${MAIN} HEAD\0side-band-64k\n`)}`;
    const lines = packet(`${MAIN} refs/heads/some-branch\n`).repeat(16_384);
    const endless = answering(() => {
      const headers = { 'content-type': 'application/x-git-upload-pack-advertisement' };
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from(begin)),
        pull: (controller) => controller.enqueue(Buffer.from(lines)),
      });
      return new Response(body, { headers });
    });
    await expect(resolve(endless, 'main')).rejects.toThrow('more than can be looked through');
  });
});
