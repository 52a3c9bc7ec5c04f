import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from './temporary-folder.ts';
import { type Files, writeFiles } from './write-files.ts';

export type TestRepository = {
  folder: string;
  /** Its `file:` address. */
  url: string;
  /** Runs git in it and gives its output. */
  git(...args: string[]): string;
  /** Writes the files and commits everything. */
  commit(files: Files, message?: string): Promise<void>;
};

type ObjectFormat = 'sha1' | 'sha256';

/** A repository that is removed when the test has finished. */
export async function gitRepository(files?: Files, format?: ObjectFormat): Promise<TestRepository> {
  return gitRepositoryIn(await temporaryFolder(), files, format);
}

/**
 * A real repository in an empty folder, with one branch, `main`. The developer's own git configuration has no
 * part in it.
 */
export async function gitRepositoryIn(
  folder: string,
  files?: Files,
  format: ObjectFormat = 'sha1',
): Promise<TestRepository> {
  const author = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  };
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    // Nothing to tidy up in a few commits.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'maintenance.auto',
    GIT_CONFIG_VALUE_0: 'false',
    ...author,
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  git('init', '--quiet', '--initial-branch=main', `--object-format=${format}`);
  const commit = async (added: Files, message = 'change') => {
    await writeFiles(folder, added);
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', `--message=${message}`);
  };
  if (files !== undefined) await commit(files);
  return { folder, url: pathToFileURL(folder).href, git, commit };
}
