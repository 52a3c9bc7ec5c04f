import type { SeenHistory } from '../../adapters/repositories.ts';
import { refuse } from '../../contract/errors.ts';
import { createMask } from '../../contract/mask.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { credentialsIn } from '../../core/git-credentials.ts';
import { deploymentRefOf, getDeploymentItem } from '../../core/items/deployments.ts';
import { findIntegration, type Integration } from '../../core/items/integrations.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { secretValues, secretVersionsOf } from '../../core/secrets.ts';
import { type RepositoryPages, repositoryPages } from '../../domain/repository-pages.ts';
import { DEFAULT_REF, sourceKinds } from '../../domain/source.ts';
import { commitViewOf, type ReadDeps, reading } from './read.ts';
import type { getSource as row } from './routes.ts';
import type { SourceView } from './shape.ts';

const COMMITS_MAX = 20;

/**
 * The head of what a deployment follows, and the commits between it and what serves. Commits are shown
 * without the deployment's secrets.
 */
export async function getSource(
  deps: ReadDeps,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  { tenantId }: Caller,
): Promise<RouteOutput<typeof row>> {
  const deployment = await getDeploymentItem(deps.table, tenantId, params.deployment_id);
  const { repoUrl, ref } = repositoryOf(deployment);
  const [integration, serving, latest] = await Promise.all([
    integrationOf(deps, deployment),
    revisionOf(deps, deployment, deployment.active?.number),
    revisionOf(deps, deployment, deployment.latest_number),
  ]);
  const credentials = integration && (await credentialsIn(deps, integration));
  const since = serving?.revision_config.repo_commit_sha;
  const { seen, problem } = await reading(repoUrl, credentials, () =>
    deps.repositories.history(repoUrl, { ref, since, limit: COMMITS_MAX }, credentials),
  );
  const values =
    seen === undefined
      ? []
      : await secretValues(deps, deploymentRefOf(deployment), secretVersionsOf(deployment));
  const mask = createMask([...values, ...(credentials === undefined ? [] : [credentials.token])]);
  const branch = branchOf(ref);
  const own = repositoryPages(repoUrl, integration);
  return {
    repo_url: repoUrl,
    ref,
    branch,
    ...headViewOf(seen, mask),
    serving: serving === undefined ? null : shown(serving),
    latest: latest === undefined ? null : { ...shown(latest), status: latest.status },
    ...addresses(own, { branch, from: since, to: seen?.head.sha }),
    problem: problem ?? null,
  };
}

function repositoryOf({ id, revision_source, revision_config, config }: Deployment) {
  const { repo_url: repoUrl } = config;
  if (repoUrl !== undefined && sourceKinds[revision_source].isWatched === true)
    return { repoUrl, ref: revision_config.repo_ref ?? DEFAULT_REF };
  const reason = `Deployment ${id} does not come from a repository, so there is no branch to compare it with.`;
  throw refuse('state_forbids', { reason });
}

const integrationOf = async (
  { table }: ReadDeps,
  { tenant_id: tenantId, config }: Deployment,
): Promise<Integration | undefined> =>
  config.integration_id === undefined ? undefined : findIntegration(table, tenantId, config.integration_id);

const revisionOf = async (
  { table }: ReadDeps,
  deployment: Deployment,
  number: number | undefined,
): Promise<Revision | undefined> =>
  number === undefined ? undefined : findRevisionByNumber(table, deploymentRefOf(deployment), number);

const shown = ({ id, number, revision_config }: Revision) => ({
  revision_id: id,
  number,
  sha: revision_config.repo_commit_sha ?? null,
});

/** The branch that a ref is; null for a tag or a commit. */
function branchOf(ref: string): string | null {
  if (ref.startsWith('refs/heads/')) return ref.slice('refs/heads/'.length);
  return ref.startsWith('refs/') || /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref) ? null : ref;
}

function headViewOf(
  seen: SeenHistory | undefined,
  mask: (text: string) => string,
): Pick<SourceView, 'head' | 'commits' | 'more' | 'relation'> {
  if (seen === undefined) return { head: null, commits: [], more: false, relation: null };
  const { head, commits, more, relation = null } = seen;
  return {
    head: commitViewOf(head, mask),
    commits: commits.map((commit) => commitViewOf(commit, mask)),
    more,
    relation,
  };
}

type Ends = { branch: string | null; from: string | undefined; to: string | undefined };

function addresses(
  pages: RepositoryPages | undefined,
  { branch, from, to }: Ends,
): Pick<SourceView, 'commit_url' | 'branch_url' | 'compare_template' | 'compare_url'> {
  const isCompared = from !== undefined && to !== undefined && from !== to;
  const path = branch?.split('/').map(encodeURIComponent).join('/');
  return {
    commit_url: pages?.commit ?? null,
    branch_url: path === undefined ? null : (pages?.branch.replace('{branch}', () => path) ?? null),
    compare_template: pages?.compare ?? null,
    compare_url: isCompared ? (pages?.compare.replace('{from}', from).replace('{to}', to) ?? null) : null,
  };
}
