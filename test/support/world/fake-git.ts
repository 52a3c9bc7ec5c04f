import { type Git, nothingSeen } from '../../../lib/adapters/git.ts';

/** Git of which only the answer to `resolve` matters: heads are what it gives. */
export const fakeGit = (resolve: Git['resolve']): Git => ({
  resolve,
  heads: async (repoUrl, branches, credentials) => {
    const heads = new Map<string, string>();
    for (const branch of branches) {
      const commit = await resolve(repoUrl, branch, credentials);
      if (commit !== undefined) heads.set(branch, commit);
    }
    return heads;
  },
  look: async () => nothingSeen,
});
