import type { DeploymentRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { deploymentRefOf, findDeployment, getConfiguration } from '../../core/items/deployments.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { branchOf, type Watch, watchedBy, watchesPk } from '../../core/items/push-watches.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { repositoryName } from '../../domain/repository-name.ts';
import { sourceKinds } from '../../domain/source.ts';
import { findWatch } from './store.ts';

/** What a deployment builds pushes to, and how far it is with them. */
export type State = {
  deployment: Deployment;
  watch: Watch;
  name: string;
  repoUrl: string;
  last: LastConsidered;
};

/**
 * Reads it; undefined: nothing of the repository whose watches are at `pk`.
 */
export async function stateOf(
  { table }: Pick<Deps, 'table'>,
  { tenantId, deploymentId }: DeploymentRef,
  pk: string,
): Promise<State | undefined> {
  const deployment = await findDeployment(table, tenantId, deploymentId);
  const watching = watchedBy(deployment);
  if (deployment === undefined || watching === undefined) return undefined;
  if (watchesPk(tenantId, watching.name) !== pk) return undefined;
  const watch = await findWatch(table, tenantId, watching.name, deploymentId);
  if (watch === undefined) return undefined;
  const last = lastConsidered(await ownRevisions(table, deployment, watch), watch.considered);
  return { deployment, watch, name: watching.name, repoUrl: watching.repoUrl, last };
}

/** The newest revisions, back to the first that names its own source. */
async function ownRevisions(
  table: Deps['table'],
  deployment: Deployment,
  watch: Watch,
): Promise<Considering[]> {
  const owner = deploymentRefOf(deployment);
  const oldest = Math.max(1, watch.considered?.number ?? 1);
  const found: Considering[] = [];
  for (let number = deployment.latest_number; number >= oldest; number--) {
    const revision = await findRevisionByNumber(table, owner, number);
    if (revision === undefined) break;
    const looksBack = isOfEarlier(revision);
    const isOfBranch = looksBack || (await isOf(table, revision, deployment, watch));
    found.push(consideringOf(revision, { looksBack, isOfBranch }));
    if (!looksBack) break;
  }
  return found;
}

const isOfEarlier = ({ inherits, cause, source }: Revision): boolean =>
  inherits || cause?.kind === 'redeploy' || !sourceKinds[source].isWatched;

/** Whether a revision is of the branch that its deployment watches now. */
async function isOf(
  table: Deps['table'],
  revision: Revision,
  deployment: Deployment,
  { branch }: Watch,
): Promise<boolean> {
  if (branchOf(revision.revision_config.repo_ref) !== branch) return false;
  if (revision.configuration === deployment.configuration) return true;
  const owner = deploymentRefOf(deployment);
  const { repo_url: url = '' } = await getConfiguration(table, owner, revision.configuration);
  return repositoryName(url) === repositoryName(deployment.config.repo_url ?? '');
}

function consideringOf(
  { id, number, status, revision_config: config }: Revision,
  of: Pick<Considering, 'looksBack' | 'isOfBranch'>,
): Considering {
  return {
    id,
    number,
    ...of,
    commit: config.repo_commit_sha,
    status: status === 'QUEUED' ? 'queued' : status === 'AWAITING_BUILD' ? 'resolving' : 'other',
  };
}

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
  if (own.status === 'resolving') return { is: 'resolving' };
  // It ended before it had found a commit, so it says nothing of the branch. The note is of this branch: it
  // goes when another one is watched.
  return noted === undefined ? { is: 'unknown' } : { is: 'commit', commit: noted.commit };
}
