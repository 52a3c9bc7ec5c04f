import type { GitCredentials } from './git-credentials.ts';

/** A commit as people read it. The message as far as it is read, and the time in ISO 8601. */
export type SeenCommit = { sha: string; message: string; author: string; at: string };

/**
 * How what is compared lies to the head: `behind` is contained in it, `ahead` contains it. `unknown`: the
 * parts of the history that were read do not meet.
 */
export type Relation = 'same' | 'behind' | 'ahead' | 'diverged' | 'unknown';

export type SeenBranches = {
  /** Undefined: the host does not say, or nothing was pushed. */
  defaultBranch: string | undefined;
  /** Commits by the names of branches. */
  commits: ReadonlyMap<string, string>;
};

export type SeenHistory = {
  head: SeenCommit;
  /** What the head contains and `since` does not, newest first. */
  commits: SeenCommit[];
  /** There is more than was asked for, or than was read. */
  more: boolean;
  /** Of `since` to the head; undefined without one. */
  relation: Relation | undefined;
};

/** What a repository holds at a commit. Paths are relative to its root. */
export type SeenFiles = {
  commit: SeenCommit;
  /** Files alone, without links and submodules. */
  paths: readonly string[];
  /** Of those that were asked for. */
  texts: ReadonlyMap<string, Uint8Array>;
};

/**
 * Reads repositories for people who look at them. Each method throws SourceError, whose message says why in
 * words a person can act on, and gives undefined where only a build can reach the repository (ssh on AWS).
 * `credentials` are used when the repository is on their host. No more than some seconds and megabytes are
 * spent.
 */
export type Repositories = {
  branches(repoUrl: string, credentials?: GitCredentials): Promise<SeenBranches | undefined>;
  /**
   * The head of a branch, or the commit of `refs/tags/<tag>` or of a full sha, with at most `limit` commits
   * that lead to it. `since`: a commit whose own history is left out.
   */
  history(
    repoUrl: string,
    asked: { ref: string; since: string | undefined; limit: number },
    credentials?: GitCredentials,
  ): Promise<SeenHistory | undefined>;
  /** `pick`: of all paths, those whose text is wanted. */
  files(
    repoUrl: string,
    asked: { ref: string; pick: (paths: readonly string[]) => readonly string[] },
    credentials?: GitCredentials,
  ): Promise<SeenFiles | undefined>;
};
