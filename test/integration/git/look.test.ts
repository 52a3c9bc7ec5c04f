import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createHttpGit } from '../../../lib/adapters/aws/git.ts';
import { lookAtCommit } from '../../../lib/adapters/aws/git-look.ts';
import { type Git, nothingSeen, SourceError } from '../../../lib/adapters/git.ts';
import { createGuardedFetch } from '../../../lib/adapters/outbound/guarded-fetch.ts';
import { createSystemGit } from '../../../lib/embedded/git/system-git.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { gitRepositoryIn } from '../../support/files/git-repository.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { serveGit } from '../../support/programs/git-server.ts';

const supervisor = new ProcessSupervisor();
afterAll(() => supervisor.close());

/** A repository behind a git server, as the function on AWS reaches it, and as the system's git does. */
async function aRepository(files: Record<string, string>, format?: 'sha256') {
  const folder = await temporaryFolder();
  const repository = await gitRepositoryIn(folder, files, format);
  const server = await serveGit(folder);
  const plain = createGuardedFetch({ allowedHosts: [], loopback: true });
  // Where the repository is said to be, and where the server is here.
  const address = 'https://git.example/.git';
  const http = createHttpGit({
    fetch: (url, init) => plain(String(url).replace('https://git.example', server.url), init),
    lookAt: lookAtCommit,
  });
  const head = () => repository.git('rev-parse', 'HEAD');
  const adapters: [string, Git, string][] = [
    ['http', http, address],
    ['system', createSystemGit(supervisor, { lookSeconds: 120 }), repository.url],
  ];
  return { repository, server, http, address, head, adapters };
}

describe('a repository in the SHA-256 object format', () => {
  it('has heads and refs as any other', async () => {
    const { head, adapters } = await aRepository({ a: '1' }, 'sha256');
    expect(head()).toHaveLength(64);
    for (const [name, git, url] of adapters) {
      expect([name, await git.heads(url, ['main'])]).toEqual([name, new Map([['main', head()]])]);
      expect([name, await git.resolve(url, 'main')]).toEqual([name, head()]);
    }
  });

  it('is looked at by the git of the system; over HTTP nothing is seen of it, so that it is built', async () => {
    const { repository, head, adapters } = await aRepository({ a: '1' }, 'sha256');
    const since = head();
    await repository.commit({ b: '2' });
    const looks = await Promise.all(adapters.map(([, git, url]) => git.look(url, { commit: head(), since })));
    expect(looks).toEqual([nothingSeen, expect.objectContaining({ changed: ['b'] })]);
  });
});

describe('the heads of branches', () => {
  it('are asked in one request, without those that are not there', async () => {
    const { repository, server, head, adapters } = await aRepository({ a: '1' });
    repository.git('branch', 'feature/x');
    repository.git('branch', 'x/main');
    await repository.commit({ a: '2' });
    const first = repository.git('rev-parse', 'feature/x');
    for (const [name, git, url] of adapters) {
      const asked = server.requests.length;
      expect([name, await git.heads(url, ['main', 'feature/x', 'gone'])]).toEqual([
        name,
        new Map([
          ['main', head()],
          ['feature/x', first],
        ]),
      ]);
      expect(await git.heads(url, ['main'])).toEqual(new Map([['main', head()]]));
      if (name === 'http')
        expect(server.requests.slice(asked).filter((each) => each.startsWith('POST'))).toHaveLength(2);
    }
  });

  it('of a repository that is not there are refused in words', async () => {
    const { adapters } = await aRepository({ a: '1' });
    for (const [, git, url] of adapters) {
      const error = await git.heads(`${url}x`, ['main']).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SourceError);
    }
  });
});

describe('a look at a commit', () => {
  it('says what it says of itself, and which paths differ from another one', async () => {
    const { repository, head, adapters } = await aRepository({
      'README.md': 'one',
      'services/api/main.ts': 'one',
      'services/web/main.ts': 'one',
      'docs/a.txt': 'one',
    });
    const since = head();
    await repository.commit({ 'services/api/main.ts': 'two', 'services/new/ünï code.ts': 'new' });
    repository.git('rm', '--quiet', 'docs/a.txt');
    repository.git('mv', 'services/web/main.ts', 'services/web/moved.ts');
    repository.git('commit', '--quiet', '--message=Do two things\n\nAt once.');
    for (const [name, git, url] of adapters) {
      const look = await git.look(url, { commit: head(), since });
      expect([name, look.said]).toEqual([
        name,
        { message: 'Do two things\n\nAt once.\n', author: 'a', at: expect.stringMatching(/^20\d\d-/) },
      ]);
      expect(look.changed?.toSorted()).toEqual([
        'docs/a.txt',
        'services/api/main.ts',
        'services/new/ünï code.ts',
        'services/web/main.ts',
        'services/web/moved.ts',
      ]);
      const alone = await git.look(url, { commit: head(), since: undefined });
      expect(alone).toEqual({ said: look.said, changed: undefined });
    }
  });

  it('does not know what has changed since a commit that is gone', async () => {
    const { head, adapters } = await aRepository({ a: '1' });
    for (const [, git, url] of adapters) {
      const look = await git.look(url, { commit: head(), since: 'f'.repeat(40) });
      expect(look).toMatchObject({ said: { author: 'a' }, changed: undefined });
    }
  });

  it('says of a commit no more than anybody reads, however much was written', async () => {
    const { repository, head, adapters } = await aRepository({ a: '1' });
    const path = join(await temporaryFolder(), 'message');
    await writeFile(path, `Answer ${'x'.repeat(300_000)}\n`.repeat(10));
    repository.git('commit', '--quiet', '--allow-empty', `--file=${path}`);
    for (const [name, git, url] of adapters) {
      const { said } = await git.look(url, { commit: head(), since: undefined });
      expect([name, said?.message.slice(0, 8), said?.message.length]).toEqual([name, 'Answer x', 2000]);
    }
  });

  it('finds nothing, and says so, where there is nothing', async () => {
    const { adapters } = await aRepository({ a: '1' });
    for (const [, git, url] of adapters) {
      expect(await git.look(url, { commit: 'f'.repeat(40), since: undefined })).toEqual(nothingSeen);
      expect(await git.look(`${url}x`, { commit: 'f'.repeat(40), since: undefined })).toEqual(nothingSeen);
    }
  });

  it('fetches no files', async () => {
    const { head, http, address, repository, server } = await aRepository({ a: 'x' });
    const since = head();
    // Random enough not to be compressed away.
    const large = Array.from({ length: 200_000 }, () => Math.random().toString(36)).join('');
    await repository.commit({ large });
    expect(await http.look(address, { commit: head(), since })).toMatchObject({ changed: ['large'] });
    expect(server.requests.filter((each) => each.startsWith('POST'))).toHaveLength(1);
  });
});
