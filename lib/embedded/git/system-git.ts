import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AskedCommit, type CommitLook, type Git, nothingSeen, SourceError } from '../../adapters/git.ts';
import { type GitAccess, repositoryAccess } from '../../adapters/git-credentials.ts';
import {
  commitOf,
  initFor,
  missingRef,
  noAnswer,
  objectIdOf,
  refName,
  unreadable,
} from '../../adapters/git-errors.ts';
import { seenWords } from '../../adapters/history.ts';
import type { Processes } from '../../processes/run-command.ts';
import { type GitResult, gitReason, runGit } from './run-git.ts';

/** A reachable server answers in a second or two; a revision should not wait for one that is not. */
const RESOLVE_TIMEOUT_SECONDS = 30;

/** Resolves refs with the system's git, so whatever the user can clone works here too. */
export function createSystemGit(
  processes: Processes,
  { timeoutSeconds = RESOLVE_TIMEOUT_SECONDS, lookSeconds = RESOLVE_TIMEOUT_SECONDS } = {},
): Git {
  return {
    async heads(repoUrl, branches, credentials) {
      const signal = AbortSignal.timeout(timeoutSeconds * 1000);
      const access = repositoryAccess(repoUrl, credentials);
      const refs = await listRefs(processes, repoUrl, branches.map(refName), {
        signal,
        timeoutSeconds,
        access,
      });
      return new Map(
        branches.flatMap((branch): [string, string][] => {
          const found = refs.get(refName(branch));
          return found === undefined ? [] : [[branch, objectIdOf(repoUrl, found)]];
        }),
      );
    },
    look: (repoUrl, asked, credentials) =>
      lookWithGit(processes, repoUrl, asked, {
        access: repositoryAccess(repoUrl, credentials),
        timeoutSeconds: lookSeconds,
      }).catch(() => nothingSeen),
    async resolve(repoUrl, ref, credentials) {
      const commit = commitOf(ref);
      if (commit !== undefined) return commit;
      const signal = AbortSignal.timeout(timeoutSeconds * 1000);
      const access = repositoryAccess(repoUrl, credentials);
      const list = (patterns: string[]) =>
        listRefs(processes, repoUrl, patterns, { signal, timeoutSeconds, access });
      const name = refName(ref);
      const refs = await list([name, `${name}^{}`]);
      // An annotated tag is an object of its own; the line with ^{} is the commit it points to.
      const found = refs.get(`${name}^{}`) ?? refs.get(name);
      if (found !== undefined) return objectIdOf(repoUrl, found);
      throw new SourceError(missingRef(repoUrl, ref, new Set((await list([])).keys())));
    },
  };
}

type Asking = { signal: AbortSignal; timeoutSeconds: number; access: GitAccess | undefined };

/** The commits of all refs whose names end with one of `patterns` (none: all refs). */
async function listRefs(
  processes: Processes,
  repoUrl: string,
  patterns: string[],
  { signal, timeoutSeconds, access }: Asking,
): Promise<Map<string, string>> {
  // The root folder is in no repository, whose own configuration git would read.
  const command = { args: ['ls-remote', '--', repoUrl, ...patterns], cwd: '/', signal, access };
  const result = await runGit(processes, command).catch((error: unknown): GitResult => {
    if (!signal.aborted) throw error;
    return { exit: { code: 128, signal: null }, stdout: [], stderr: [noAnswer(timeoutSeconds)] };
  });
  if (result.exit.code !== 0) throw new SourceError(unreadable(repoUrl, gitReason(result)));
  return new Map(
    result.stdout.map((line) => line.split('\t')).map(([commit = '', name = '']) => [name, commit]),
  );
}

/** More paths than anybody wants to hold globs against. */
const PATHS_MAX = 100_000;

const PLAIN_NAMES = ['-c', 'core.quotePath=false'];

/**
 * What a commit says of itself, and which paths differ between it and `since`: with two commits and their
 * trees, without history and, where the server can leave them out, without files. Throws for whatever is in
 * the way.
 */
async function lookWithGit(
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
    await git(...initFor(commit), '--bare');
    const isThere = await fetch(since === undefined ? 'tree:0' : 'blob:none', commit);
    const [author, at, ...message] =
      (isThere && (await git('log', '-1', '--format=%an%n%aI%n%B', commit))) ?? [];
    const said =
      author === undefined || at === undefined
        ? undefined
        : seenWords({ author, at, message: message.join('\n') });
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
