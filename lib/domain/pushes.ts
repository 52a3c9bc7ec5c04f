import type { RevisionCause } from '../contract/revision-status.ts';
import { withBidiShown } from '../shown-text.ts';

const BRANCH = 'refs/heads/';

/** The branch that pushes to are built; undefined for tags and single commits, which nobody pushes to. */
export function branchOf(repoRef: string | undefined): string | undefined {
  if (repoRef === undefined || /^[0-9a-f]{40}$/i.test(repoRef)) return undefined;
  if (repoRef.startsWith(BRANCH)) return repoRef.slice(BRANCH.length);
  return repoRef.startsWith('refs/') ? undefined : repoRef;
}

/** Whether pushes made it: a newer one of these takes the place of one that only waits. */
export const isPushed = (kind: RevisionCause | undefined): boolean => kind === 'push' || kind === 'head';

/** A revision, as far as it says which commit of its branch was considered. */
export type Considering = {
  id: string;
  number: number;
  /** It runs what an earlier one ran, so it says nothing of its branch. */
  looksBack: boolean;
  /** It is of the branch that is watched now, not of another one or of another repository. */
  isOfBranch: boolean;
  commit: string | undefined;
  status: 'queued' | 'resolving' | 'other';
};

/**
 * What was last considered of a branch. `waits`: this revision takes the branch's head once it is processed,
 * so it has whatever has been pushed by now. `resolving`: one is about to find out. `elsewhere`: a rollback
 * came to this branch from another one, and nothing of it was considered since.
 */
export type LastConsidered =
  | { is: 'commit'; commit: string }
  | { is: 'waits'; revisionId: string }
  | { is: 'resolving' }
  | { is: 'elsewhere' }
  | { is: 'unknown' };

/**
 * The last commit of the branch that was considered: what the newest revision that names its own source
 * builds, or what was found to need no revision, whichever came later. `revisions`: newest first, up to the
 * first that does not look back. `noted`: the commit that a push or a look came to, and the deployment's
 * latest revision at that time.
 */
export function lastConsidered(
  revisions: readonly Considering[],
  noted: { commit: string; number: number } | undefined,
): LastConsidered {
  const own = revisions.find(({ looksBack }) => !looksBack);
  if (noted !== undefined && (own === undefined || own.number <= noted.number))
    return { is: 'commit', commit: noted.commit };
  if (own === undefined) return { is: 'unknown' };
  if (!own.isOfBranch) return { is: 'elsewhere' };
  if (own.commit !== undefined) return { is: 'commit', commit: own.commit };
  if (own.status === 'queued') return { is: 'waits', revisionId: own.id };
  return own.status === 'resolving' ? { is: 'resolving' } : { is: 'unknown' };
}

const MESSAGE_LENGTH_MAX = 120;
const AUTHOR_LENGTH_MAX = 60;

/** What a commit says of itself, as it is stored with a revision: short, for each status writes it again. */
export type CommitDescription = { message: string; author: string; at: string };

// Whoever may push chooses these texts: a terminal that shows them must not read them as its own.
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const shortened = (text: string, lengthMax: number): string => {
  const characters = Array.from(text.trim().replace(CONTROL, ' '));
  return characters.length <= lengthMax
    ? characters.join('')
    : `${characters.slice(0, lengthMax - 1).join('')}…`;
};

/** More is not kept: the host is asked for it once it is needed. */
const WORDS_LENGTH_MAX = 300;

/**
 * What a commit says of itself, as it was written, to be kept until it is masked and then described: a text
 * that was cut first may end in a part of a secret, which no mask knows. Undefined when it is too long or the
 * time is none.
 */
export function commitWords({ message, author, at }: CommitDescription): CommitDescription | undefined {
  const [line = ''] = message.trim().split(/\r?\n/);
  const isKept = Math.max(line.length, author.length) <= WORDS_LENGTH_MAX && !Number.isNaN(Date.parse(at));
  return isKept ? { message: line, author, at } : undefined;
}

/** First line of the message, author's name and time of a commit; undefined when the time is none. */
export function describeCommit(said: {
  message: string;
  author: string;
  at: string;
}): CommitDescription | undefined {
  const at = new Date(said.at);
  if (Number.isNaN(at.getTime())) return undefined;
  const [line = ''] = said.message.trim().split(/\r?\n/);
  return {
    message: shortened(withBidiShown(line), MESSAGE_LENGTH_MAX),
    author: shortened(withBidiShown(said.author), AUTHOR_LENGTH_MAX),
    at: at.toISOString(),
  };
}
