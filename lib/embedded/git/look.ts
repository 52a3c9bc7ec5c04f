import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AskedCommit, CommitLook } from '../../adapters/git.ts';
import type { GitAccess } from '../../adapters/git-credentials.ts';
import type { Processes } from '../../processes/run-command.ts';
import { runGit } from './run-git.ts';

/** More paths than anybody wants to hold globs against. */
const PATHS_MAX = 100_000;

const PLAIN_NAMES = ['-c', 'core.quotePath=false'];

/**
 * What a commit says of itself, and which paths differ between it and `since`: with two commits and their
 * trees, without history and, where the server can leave them out, without files. Throws for whatever is in
 * the way.
 */
export async function lookWithGit(
  processes: Processes,
  repoUrl: string,
  { commit, since }: AskedCommit,
  { access, timeoutSeconds }: { access: GitAccess | undefined; timeoutSeconds: number },
): Promise<CommitLook> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-look-'));
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  const git = async (...args: string[]): Promise<string[] | undefined> => {
    const { exit, stdout } = await runGit(processes, { args, cwd: folder, signal, access });
    return exit.code === 0 ? stdout : undefined;
  };
  const fetch = (filter: string, id: string) =>
    git('fetch', '--quiet', '--depth=1', '--no-tags', `--filter=${filter}`, '--', repoUrl, id);
  try {
    await git('init', '--quiet', '--bare');
    const isThere = await fetch(since === undefined ? 'tree:0' : 'blob:none', commit);
    const [author, at, ...message] =
      (isThere && (await git('log', '-1', '--format=%an%n%aI%n%B', commit))) ?? [];
    const said =
      author === undefined || at === undefined ? undefined : { author, at, message: message.join('\n') };
    if (since === undefined || !isThere || !(await fetch('blob:none', since)))
      return { said, changed: undefined };
    const changed = await git(
      ...PLAIN_NAMES,
      'diff-tree',
      '-r',
      '--name-only',
      '--no-renames',
      since,
      commit,
    );
    return { said, changed: changed && legible(changed) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Names that git quotes, for they hold line breaks or the like, are not read: then all may have changed. */
const legible = (paths: string[]): string[] | undefined =>
  paths.length > PATHS_MAX || paths.some((path) => path.startsWith('"')) ? undefined : paths;
