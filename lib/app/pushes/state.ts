import { type Considering, type LastConsidered, lastConsidered } from '../../domain/pushes.ts';
import { findDeployment } from '../../store/engine/deployments.ts';
import type { Deployment, Revision } from '../../store/engine/items.ts';
import { findRevisionByNumber } from '../../store/engine/revisions.ts';
import { findWatch, placeOf, type Watch, watchedBy } from '../../store/pushes/watches.ts';
import type { Deps } from '../deps.ts';

export type Owner = { tenantId: string; deploymentId: string };

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
  { tenantId, deploymentId }: Owner,
  pk: string,
): Promise<State | undefined> {
  const deployment = await findDeployment(table, tenantId, deploymentId);
  const watching = watchedBy(deployment);
  if (deployment === undefined || watching === undefined) return undefined;
  if (placeOf(tenantId, watching.name) !== pk) return undefined;
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
  const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
  const oldest = Math.max(1, watch.considered?.number ?? 1);
  const found: Considering[] = [];
  for (let number = deployment.latest_number; number >= oldest; number--) {
    const revision = await findRevisionByNumber(table, owner, number);
    if (revision === undefined) break;
    found.push(consideringOf(revision));
    if (found.at(-1)?.looksBack === false) break;
  }
  return found;
}

function consideringOf(revision: Revision): Considering {
  const { id, number, inherits, cause, status, source, revision_config: config } = revision;
  return {
    id,
    number,
    looksBack: inherits || cause?.kind === 'redeploy' || source !== 'github',
    commit: config.repo_commit_sha,
    status: status === 'QUEUED' ? 'queued' : status === 'AWAITING_BUILD' ? 'resolving' : 'other',
  };
}
