import type { CommitStatus, CommitStatuses } from '../commit-statuses.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/** Nobody waits for it, but the step that ends a revision is no longer than it needs to be. */
const TIMEOUT_MILLISECONDS = 5_000;

type Call = { url: string; headers: Record<string, string>; body: object };

/** What each kind of host calls the states. */
const gitLabStates = { pending: 'pending', success: 'success', failure: 'failed' } as const;
const bitbucketStates = { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED' } as const;

function callOf(status: CommitStatus): Call {
  const { host, token, repository, commit, state, context, description } = status;
  const bearer = { authorization: `Bearer ${token}` };
  switch (status.type) {
    case 'github': {
      const api = host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
      const url = `${api}/repos/${repository}/statuses/${commit}`;
      return { url, headers: bearer, body: { state, context, description } };
    }
    case 'gitea':
      return {
        url: `https://${host}/api/v1/repos/${repository}/statuses/${commit}`,
        headers: { authorization: `token ${token}` },
        body: { state, context, description },
      };
    case 'gitlab': {
      const project = encodeURIComponent(repository);
      return {
        url: `https://${host}/api/v4/projects/${project}/statuses/${commit}`,
        headers: bearer,
        body: { state: gitLabStates[state], name: context, description },
      };
    }
    case 'bitbucket':
      return {
        url: `https://api.${host}/2.0/repositories/${repository}/commit/${commit}/statuses/build`,
        headers: bearer,
        body: {
          state: bitbucketStates[state],
          key: context,
          name: context,
          description,
          // It has to lead somewhere.
          url: `https://${host}/${repository}/commits/${commit}`,
        },
      };
  }
}

/** The token may read a repository and not say anything of it. */
const NOT_ALLOWED = new Set([401, 403, 404]);

/** Sets statuses by the API of each kind of host. */
export const createCommitStatuses = (fetch: GuardedFetch): CommitStatuses => ({
  async set(status) {
    const { url, headers, body } = callOf(status);
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'slipway',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    await response.body?.cancel();
    if (response.ok || NOT_ALLOWED.has(response.status)) return;
    throw new Error(`${status.host} answered HTTP ${response.status} to a commit status`);
  },
});
