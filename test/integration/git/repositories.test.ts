import { symlink } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createHttpRepositories } from '../../../lib/adapters/aws/repositories.ts';
import { SourceError } from '../../../lib/adapters/git.ts';
import { createGuardedFetch } from '../../../lib/adapters/outbound/guarded-fetch.ts';
import type { Repositories } from '../../../lib/adapters/repositories.ts';
import { createSystemGit } from '../../../lib/embedded/git/system-git.ts';
import { createSystemRepositories } from '../../../lib/embedded/git/system-repositories.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { gitRepositoryIn } from '../../support/files/git-repository.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { serveGit } from '../../support/programs/git-server.ts';

const supervisor = new ProcessSupervisor();
afterAll(() => supervisor.close());

/** A repository behind a git server, as the function on AWS reads it, and as the system's git does. */
async function aRepository(files: Record<string, string>, format?: 'sha256') {
  const folder = await temporaryFolder();
  const repository = await gitRepositoryIn(folder, files, format);
  repository.git('config', 'uploadpack.allowFilter', 'true');
  const server = await serveGit(folder);
  const plain = createGuardedFetch({ allowedHosts: [], loopback: true });
  // Where the repository is said to be, and where the server is here.
  const address = 'https://git.example/.git';
  const http = createHttpRepositories({
    fetch: (url, init) => plain(String(url).replace('https://git.example', server.url), init),
    timeoutSeconds: 120,
  });
  const system = createSystemRepositories({
    processes: supervisor,
    git: createSystemGit(supervisor),
    timeoutSeconds: 120,
  });
  const adapters: [string, Repositories, string][] = [
    ['http', http, address],
    ['system', system, repository.url],
  ];
  const commit = (name: string) => repository.git('rev-parse', name);
  const says = (message: string) =>
    repository.git('commit', '--quiet', '--allow-empty', `--message=${message}`);
  return { repository, server, http, address, adapters, commit, says };
}

const messages = ({ commits }: { commits: { message: string }[] }) =>
  commits.map(({ message }) => message.trim());

describe('the branches of a repository', () => {
  it('are told with their commits, and the one that is meant where none is named', async () => {
    const { repository, adapters, commit } = await aRepository({ a: '1' });
    repository.git('branch', 'feature/x');
    repository.git('tag', 'v1');
    await repository.commit({ a: '2' });
    const commits = new Map([
      ['feature/x', commit('feature/x')],
      ['main', commit('main')],
    ]);
    for (const [name, repositories, url] of adapters) {
      const seen = await repositories.branches(url);
      expect([name, seen]).toEqual([name, { defaultBranch: 'main', commits }]);
    }
  });

  it('are none where nothing was pushed, and cannot be told where there is no repository', async () => {
    const folder = await temporaryFolder();
    const { adapters } = await aRepository({ a: '1' });
    const empty = await gitRepositoryIn(folder);
    const [, [, system] = []] = adapters;
    expect(await system?.branches(empty.url)).toEqual({ defaultBranch: undefined, commits: new Map() });
    for (const [, repositories, url] of adapters) {
      const error = await repositories.branches(`${url}x`).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SourceError);
    }
  });
});

describe('the history of a branch', () => {
  it('holds what its head has and another commit has not, newest first', async () => {
    const { repository, adapters, commit, says } = await aRepository({ a: '1' });
    const since = commit('HEAD');
    says('Second\n\nWith a body.');
    repository.git('checkout', '--quiet', '-b', 'side', since);
    says('Beside');
    repository.git('checkout', '--quiet', 'main');
    says('Third');
    repository.git('merge', '--quiet', '--no-ff', '--message=Merge side', 'side');
    for (const [name, repositories, url] of adapters) {
      const seen = await repositories.history(url, { ref: 'main', since, limit: 20 });
      if (seen === undefined) throw new Error('nothing was read');
      const { head, commits, ...rest } = seen;
      expect([name, rest]).toEqual([name, { more: false, relation: 'behind' }]);
      expect(head).toMatchObject({ sha: commit('main'), author: 'a', at: expect.stringMatching(/^20\d\d-/) });
      expect(commits[0]).toEqual(head);
      const heads = commits.map(({ message }) => message.split('\n')[0] ?? '');
      expect(heads.toSorted()).toEqual(['Beside', 'Merge side', 'Second', 'Third']);
      expect(heads.indexOf('Third')).toBeLessThan(heads.indexOf('Second'));
    }
  });

  it('is told as far as it is asked for, and lies to a commit as it does', async () => {
    const { repository, adapters, commit, says } = await aRepository({ a: '1' });
    const first = commit('HEAD');
    for (const number of [1, 2, 3, 4]) says(`Number ${number}`);
    repository.git('checkout', '--quiet', '-b', 'other', first);
    says('Elsewhere');
    const asked: [object, object][] = [
      [
        { ref: 'main', since: first, limit: 2 },
        { relation: 'behind', more: true },
      ],
      [
        { ref: 'main', since: commit('main'), limit: 9 },
        { relation: 'same', more: false, commits: [] },
      ],
      [
        { ref: first, since: commit('main'), limit: 9 },
        { relation: 'ahead', more: false, commits: [] },
      ],
      [
        { ref: 'main', since: commit('other'), limit: 9 },
        { relation: 'diverged', more: false },
      ],
      [
        { ref: 'main', since: 'f'.repeat(40), limit: 9 },
        { relation: 'unknown', more: false },
      ],
    ];
    for (const [name, repositories, url] of adapters)
      for (const [question, answer] of asked) {
        const seen = await repositories.history(url, {
          ref: 'main',
          since: undefined,
          limit: 9,
          ...question,
        });
        expect([name, question, seen]).toEqual([name, question, expect.objectContaining(answer)]);
      }
    for (const [, repositories, url] of adapters) {
      const seen = await repositories.history(url, { ref: 'main', since: undefined, limit: 2 });
      expect(messages(seen ?? { commits: [] })).toEqual(['Number 4', 'Number 3']);
      expect(seen).toMatchObject({ more: true, relation: undefined });
    }
  });

  it('of a branch that is not there is refused, with those that are', async () => {
    const { adapters } = await aRepository({ a: '1' });
    for (const [, repositories, url] of adapters)
      for (const ref of ['gone', 'f'.repeat(40)]) {
        const asked = repositories.history(url, { ref, since: undefined, limit: 1 });
        await expect(asked).rejects.toBeInstanceOf(SourceError);
      }
    const [[, http, url] = []] = adapters;
    const gone = http?.history(url ?? '', { ref: 'gone', since: undefined, limit: 1 });
    await expect(gone).rejects.toThrow(/'gone' does not exist in .*; branches there: main/);
  });
});

describe('the files of a repository', () => {
  it('are told by their paths, with the texts that are picked and nothing else', async () => {
    const large = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('');
    const { repository, adapters, commit, server } = await aRepository({
      'langgraph.json': '{}\n',
      'src/agent.py': 'graph = 1\n\n# ünï\n',
      'src/empty.py': '',
      large,
    });
    repository.git('config', 'core.symlinks', 'true');
    const pick = () => ['langgraph.json', 'src/agent.py', 'src/empty.py', 'gone'];
    for (const [name, repositories, url] of adapters) {
      const seen = await repositories.files(url, { ref: 'main', pick });
      if (seen === undefined) throw new Error('nothing was read');
      expect(seen.commit).toMatchObject({ sha: commit('main'), author: 'a' });
      expect(seen.paths.toSorted()).toEqual(['langgraph.json', 'large', 'src/agent.py', 'src/empty.py']);
      const texts = [...seen.texts].map(([path, bytes]) => [path, Buffer.from(bytes).toString().trimEnd()]);
      expect([name, Object.fromEntries(texts)]).toEqual([
        name,
        { 'langgraph.json': '{}', 'src/agent.py': 'graph = 1\n\n# ünï', 'src/empty.py': '' },
      ]);
    }
    expect(server.requests.filter((each) => each.startsWith('POST'))).toHaveLength(3);
  });

  it('are none behind a link', async () => {
    const { repository, adapters } = await aRepository({ a: '1' });
    await symlink('/etc/passwd', `${repository.folder}/b`);
    await repository.commit({ c: '3' });
    for (const [, repositories, url] of adapters) {
      const seen = await repositories.files(url, { ref: 'main', pick: () => ['b'] });
      expect(seen?.paths).toEqual(['a', 'c']);
      expect(seen?.texts.size).toBe(0);
    }
  });

  it('of a repository with SHA-256 are read by the git of the system alone', async () => {
    const { adapters } = await aRepository({ a: '1' }, 'sha256');
    const [[, http, address] = [], [, system, url] = []] = adapters;
    const asked = { ref: 'main', pick: () => ['a'] };
    await expect(http?.files(address ?? '', asked)).rejects.toThrow(/uses SHA-256/);
    expect((await system?.files(url ?? '', asked))?.paths).toEqual(['a']);
  });
});

it('a repository behind ssh is left to builds where there is no git', async () => {
  const { http } = await aRepository({ a: '1' });
  const ssh = 'git@git.example:team/app.git';
  expect(await http.branches(ssh)).toBeUndefined();
  expect(await http.files(ssh, { ref: 'main', pick: () => [] })).toBeUndefined();
});
