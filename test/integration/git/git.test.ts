import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { SourceError } from '../../../lib/adapters/git.ts';
import { repositoryAccess } from '../../../lib/adapters/git-credentials.ts';
import { runGit } from '../../../lib/embedded/git/run-git.ts';
import { createSystemGit } from '../../../lib/embedded/git/system-git.ts';
import type { Processes } from '../../../lib/processes/run-command.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const supervisor = new ProcessSupervisor();
afterAll(() => supervisor.close());
const git = createSystemGit(supervisor);

async function refusal(url: string, ref: string, using = git): Promise<string> {
  const error = await using.resolve(url, ref).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SourceError);
  return error instanceof Error ? error.message : '';
}

describe('a token', () => {
  const credentials = { host: 'git.example:8443', token: 'the-token', submodules: false };
  const own = 'https://git.example:8443/team/app.git';
  const basic = Buffer.from('x-access-token:the-token').toString('base64');

  /** What git would do for requests to an address. */
  async function setting(
    name: string,
    url: string,
    access = repositoryAccess(own, credentials),
  ): Promise<string> {
    const args = ['config', '--get-urlmatch', name, url];
    const { stdout } = await runGit(supervisor, {
      args,
      cwd: '/',
      signal: AbortSignal.timeout(30_000),
      access,
    });
    return stdout.join('\n');
  }

  it('is sent to the repository itself, which leads nowhere else', async () => {
    expect(await setting('http.extraHeader', own)).toBe(`Authorization: Basic ${basic}`);
    expect(await setting('http.followRedirects', own)).toBe('false');
  });

  it.each(['', '/', '.git', '.git/'])(
    'is sent to its Git LFS, however the repository is spelled: %j',
    async (end) => {
      const access = repositoryAccess(`https://git.example:8443/team/app${end}`, credentials);
      const ways = ['app/info/refs', 'app.git/info/refs', 'app.git/info/lfs/objects/batch'];
      for (const way of ways) {
        const url = `https://git.example:8443/team/${way}`;
        expect(await setting('http.extraHeader', url, access)).toBe(`Authorization: Basic ${basic}`);
        expect(await setting('http.followRedirects', url, access)).toBe('false');
      }
      const others = [
        'application/info/refs',
        'app.github/info/refs',
        'app.gitx',
        'other.git/info/lfs',
        'app2',
      ];
      for (const way of others)
        expect(await setting('http.extraHeader', `https://git.example:8443/team/${way}`, access)).toBe('');
    },
  );

  it('is for no other host, where the address of a repository has no path', async () => {
    const access = repositoryAccess('https://git.example', { ...credentials, host: 'git.example' });
    expect(await setting('http.extraHeader', 'https://git.example/x', access)).toContain(basic);
    expect(await setting('http.extraHeader', 'https://git.example.git/x', access)).toBe('');
  });

  it.each([
    'https://git.example:8443/team/other.git',
    'https://git.example:8443/team/app.git/../other.git',
    'https://git.example/team/app.git',
    'https://other.example:8443/team/app.git',
    'http://git.example:8443/team/app.git',
  ])('is not sent to %s', async (url) => {
    expect(await setting('http.extraHeader', url)).toBe('');
  });
});

describe('resolving a ref', () => {
  it('finds the commit of a branch, also one with a slash', async () => {
    const repository = await gitRepository({ a: '1' });
    repository.git('branch', 'feature/x');
    await repository.commit({ a: '2' });
    const second = repository.git('rev-parse', 'HEAD');
    expect(await git.resolve(repository.url, 'main')).toBe(second);
    expect(await git.resolve(repository.url, 'refs/heads/main')).toBe(second);
    expect(await git.resolve(repository.url, 'feature/x')).toBe(repository.git('rev-parse', 'feature/x'));
  });

  it('finds the commit of a plain and of an annotated tag', async () => {
    const repository = await gitRepository({ a: '1' });
    repository.git('tag', 'plain');
    repository.git('tag', '--annotate', 'v1', '--message=one');
    const commit = repository.git('rev-parse', 'HEAD');
    expect(await git.resolve(repository.url, 'refs/tags/plain')).toBe(commit);
    expect(await git.resolve(repository.url, 'refs/tags/v1')).toBe(commit);
  });

  it.each(['--upload-pack=x', '1'.repeat(39), '1'.repeat(41), 'g'.repeat(40)])(
    'takes nothing for an object that is none: %s',
    async (oid) => {
      const lying: Processes = {
        start: (command) =>
          supervisor.start({ ...command, command: 'printf', args: ['%s\\t%s\\n', oid, 'refs/heads/main'] }),
        stop: (group, grace) => supervisor.stop(group, grace),
        stopKnown: (group, grace) => supervisor.stopKnown(group, grace),
      };
      expect(await refusal('https://git.example/app', 'main', createSystemGit(lying))).toBe(
        'Repository https://git.example/app cannot be read: the server does not answer as a git server does',
      );
    },
  );

  it('takes a full commit as it is', async () => {
    const sha = 'ABCDEF0123456789abcdef0123456789abcdef01';
    expect(await git.resolve('https://example.invalid/x', sha)).toBe(sha.toLowerCase());
  });

  it('does not take a ref whose name only ends alike', async () => {
    const repository = await gitRepository({ a: '1' });
    repository.git('branch', 'x/refs/heads/dev');
    expect(await refusal(repository.url, 'dev')).toContain("Ref 'dev' does not exist");
  });

  it('names the branches that are there, and a tag of that name', async () => {
    const repository = await gitRepository({ a: '1' });
    repository.git('branch', 'dev');
    repository.git('tag', 'v1');
    expect(await refusal(repository.url, 'nope')).toBe(
      `Ref 'nope' does not exist in ${repository.url}; branches there: dev, main`,
    );
    expect(await refusal(repository.url, 'v1')).toContain("a tag of that name is 'refs/tags/v1'");
  });

  it('says when there are no branches, and does not print hundreds', async () => {
    const repository = await gitRepository();
    expect(await refusal(repository.url, 'main')).toContain('it has no branches');
    await repository.commit({ a: '1' });
    for (let at = 0; at < 14; at += 1) repository.git('branch', `b${at}`);
    expect(await refusal(repository.url, 'x')).toMatch(/branches there: .* and 5 more$/);
  });

  it('quotes git about a repository that is not there', async () => {
    const url = `file://${await temporaryFolder()}/missing`;
    const message = await refusal(url, 'main');
    expect(message).toContain(`Repository ${url} cannot be read: `);
    expect(message).toContain('does not appear to be a git repository');
  });

  it.each(['ext::sh -c touch% x', 'http://127.0.0.1:1/x', 'git://127.0.0.1:1/x'])(
    'does not speak %s',
    async (url) => {
      expect(await refusal(url, 'main')).toMatch(/transport '\w+' not allowed/);
    },
  );

  it('takes an address that looks like an option as an address', async () => {
    expect(await refusal('--upload-pack=touch x', 'main')).toContain('cannot be read');
  });

  it('gives up on a server that says nothing', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
    // A server on a TCP port has an address of this type.
    const { port } = server.address() as AddressInfo;
    const message = await refusal(
      `https://127.0.0.1:${port}/x`,
      'main',
      createSystemGit(supervisor, { timeoutSeconds: 0.3 }),
    );
    expect(message).toContain('no answer within 0.3 s');
    expect(supervisor.groups.size).toBe(0);
  });
});
