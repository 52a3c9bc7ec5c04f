import type { GitCredentials } from './git-credentials.ts';

/** The source cannot be used; `message` says why in words a person can act on. */
export class SourceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourceError';
  }
}

export type Git = {
  /**
   * The commit (40 or 64 hex digits) that a branch, `refs/tags/<tag>` or full commit sha stands for now.
   * `undefined`: this adapter cannot reach the repository (ssh on AWS), the build refuses it. Throws
   * SourceError when the repository or the ref is not there. `credentials` are used when the repository is on
   * their host.
   */
  resolve(repoUrl: string, ref: string, credentials?: GitCredentials): Promise<string | undefined>;
  /**
   * The commits of these branches, by name, without those that are not there; in one request. `undefined` and
   * errors as of `resolve`.
   */
  heads(
    repoUrl: string,
    branches: readonly string[],
    credentials?: GitCredentials,
  ): Promise<ReadonlyMap<string, string> | undefined>;
  /**
   * What a commit says of itself, and which paths differ between it and `since`. Never throws: what cannot be
   * found out within some seconds and megabytes is undefined.
   */
  look(repoUrl: string, asked: AskedCommit, credentials?: GitCredentials): Promise<CommitLook>;
};

export type AskedCommit = { commit: string; since: string | undefined };

export type CommitLook = {
  /** As the commit has it: the whole message, the author's name, and the time in ISO 8601. */
  said: { message: string; author: string; at: string } | undefined;
  changed: readonly string[] | undefined;
};

export const nothingSeen: CommitLook = { said: undefined, changed: undefined };
