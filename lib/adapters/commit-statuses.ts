import type { IntegrationType } from '../contract/integration-types.ts';

export type CommitStatus = {
  type: IntegrationType;
  /** Of the integration: `github.com`, `git.example:8443`. */
  host: string;
  token: string;
  /** Where the repository lies on the host: `team/app`. */
  repository: string;
  commit: string;
  state: 'pending' | 'success' | 'failure';
  /** Tells it from what others say of the same commit. */
  context: string;
  description: string;
};

/** What hosts of repositories show beside a commit. */
export type CommitStatuses = {
  /** Throws when the host does not take it; one that the token is not allowed to set is left out. */
  set(status: CommitStatus): Promise<void>;
};
