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
};
