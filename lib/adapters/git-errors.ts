import { SourceError } from './git.ts';

/** The words for sources that cannot be used, the same wherever a ref is resolved. */
const SHOWN_BRANCHES_MAX = 10;
const BRANCH_PREFIX = 'refs/heads/';

export const unreadable = (repoUrl: string, reason: string): string =>
  `Repository ${repoUrl} cannot be read: ${reason}`;

export const noAnswer = (timeoutSeconds: number): string => `no answer within ${timeoutSeconds} s`;

/** The full name of what a client calls `ref`: a branch unless it says otherwise. */
export const refName = (ref: string): string => (ref.startsWith('refs/') ? ref : `${BRANCH_PREFIX}${ref}`);

/** The commit that a ref may simply be, in lower case. */
export const commitOf = (ref: string): string | undefined =>
  isObjectId(ref.toLowerCase()) ? ref.toLowerCase() : undefined;

/**
 * What a server says is an object, before it becomes part of a command or an answer. Throws SourceError for
 * anything else.
 */
export function objectIdOf(repoUrl: string, text: string): string {
  if (isObjectId(text)) return text;
  throw new SourceError(unreadable(repoUrl, 'the server does not answer as a git server does'));
}

/** SHA-1 or SHA-256, in hex. */
export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);

/** What `git init` is to make, that a commit can be fetched into: its default cannot hold the other kind. */
export const initFor = (commit: string): string[] => [
  'init',
  '--quiet',
  `--object-format=${commit.length === 64 ? 'sha256' : 'sha1'}`,
];

/** As git shortens the ids of commits, which only who has the repository can complete. */
const PART_OF_COMMIT = /^[0-9a-f]{4,63}$/i;
const WHOLE_COMMIT = 'a commit is named by all 40 characters of its id (64 in a repository with SHA-256)';

/** That the ref is not there, and what is; `names` are the repository's full ref names. */
export function missingRef(repoUrl: string, ref: string, names: ReadonlySet<string>): string {
  const branches = [...names].filter((name) => name.startsWith(BRANCH_PREFIX));
  const shown = branches.slice(0, SHOWN_BRANCHES_MAX).map((name) => name.slice(BRANCH_PREFIX.length));
  const more = branches.length > shown.length ? ` and ${branches.length - shown.length} more` : '';
  const there = shown.length === 0 ? 'it has no branches' : `branches there: ${shown.join(', ')}${more}`;
  const tag = names.has(`refs/tags/${ref}`) ? `; a tag of that name is 'refs/tags/${ref}'` : '';
  const commit = PART_OF_COMMIT.test(ref) ? `; ${WHOLE_COMMIT}` : '';
  return `Ref '${ref}' does not exist in ${repoUrl}; ${there}${tag}${commit}`;
}
