import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { gitRepository } from '../../support/files/git-repository.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { jobFor, messageOf, setUp, unpack } from './set-up.ts';

afterEach(() => vi.unstubAllEnvs());

/** Puts a program before all others on the PATH of builds. */
async function withProgram(name: string, script: string): Promise<void> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
  vi.stubEnv('PATH', [folder, process.env.PATH].join(delimiter));
}

describe('a repository with Git LFS', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'5'.repeat(64)}\nsize 7\n`;
  const files = {
    Procfile: 'web: true',
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'data/a.bin': pointer,
  };
  const installCommand = 'echo installing';

  it('is refused where there is no git-lfs, before anything is installed', async () => {
    const { run } = await setUp();
    const repository = await gitRepository(files);
    const { state, log } = await run(jobFor(repository.url, { installCommand }));
    expect(messageOf(state)).toBe(
      'Git LFS keeps data/a.bin, and git-lfs, which fetches them, is not installed where this is built. Install it, or commit the files themselves',
    );
    expect(log).not.toContain('installing');
  });

  it('is built with the files that git-lfs fetches', async () => {
    await withProgram(
      'git-lfs',
      `test "$1" = pull && git config --get filter.lfs.process >/dev/null && printf fetched > data/a.bin`,
    );
    const { run, blobs } = await setUp();
    const repository = await gitRepository(files);
    const { state, log } = await run(jobFor(repository.url));
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    expect((await unpack(blobs, state.artifact.key)).get('data/a.bin')).toBe('fetched');
    expect(log).toContain('Fetching what Git LFS keeps: data/a.bin');
  });

  it('fails with what git-lfs says, and goes on without what .lfsconfig leaves out', async () => {
    await withProgram('git-lfs', 'test -f .lfsconfig || { echo "Object does not exist" >&2; exit 2; }');
    const { run } = await setUp();
    const repository = await gitRepository({ ...files, 'data/b.bin': pointer });
    expect(messageOf((await run(jobFor(repository.url))).state)).toMatch(
      /^Git LFS cannot fetch 2 files \(data\/a\.bin is one\): Object does not exist/,
    );
    await repository.commit({ '.lfsconfig': '[lfs]\n\tfetchexclude = data\n' });
    const { state, entries } = await run(jobFor(repository.url));
    expect(state.state).toBe('succeeded');
    expect(entries).toContainEqual(
      expect.objectContaining({
        level: 'WARNING',
        message: 'Git LFS has not fetched 2 files (data/a.bin is one): .lfsconfig may leave them out',
      }),
    );
  });

  describe('in a submodule', () => {
    async function built(program: string) {
      await withProgram('git-lfs', program);
      const assets = await gitRepository(files);
      const repository = await gitRepository({ Procfile: 'web: true' });
      repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', assets.url, 'assets');
      await repository.commit({});
      const { run, blobs } = await setUp();
      return { blobs, ...(await run(jobFor(repository.url))) };
    }

    it('has them fetched there', async () => {
      const { state, blobs, log } = await built('test "$1" = pull && printf fetched > data/a.bin');
      if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
        throw new Error(JSON.stringify(state));
      expect((await unpack(blobs, state.artifact.key)).get('assets/data/a.bin')).toBe('fetched');
      expect(log.join('\n')).not.toContain('.lfsconfig');
    });

    it('fails naming it when they cannot be had', async () => {
      const { state } = await built('echo "Object does not exist" >&2; exit 2');
      expect(messageOf(state)).toMatch(
        /^Git LFS cannot fetch assets\/data\/a\.bin of submodule assets: .*Object does not exist/,
      );
    });
  });

  it('may have files that only look like pointers', async () => {
    const { run } = await setUp();
    const repository = await gitRepository({ Procfile: 'web: true', 'docs/pointer.txt': pointer });
    expect((await run(jobFor(repository.url))).state.state).toBe('succeeded');
  });
});
