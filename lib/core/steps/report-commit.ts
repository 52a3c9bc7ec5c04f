import type { RevisionRef } from '../../contract/refs.ts';
import { withoutTrailing } from '../../contract/trailing.ts';
import { sourceKinds } from '../../domain/source.ts';
import { isTerminal } from '../../domain/transitions.ts';
import type { Deps } from '../deps.ts';
import { openCredentials } from '../git-credentials.ts';
import { findDeployment, getConfiguration } from '../items/deployments.ts';
import { findIntegration } from '../items/integrations.ts';
import type { Revision } from '../items/items.ts';
import { findRevision } from '../items/revisions.ts';

export type ReportDeps = Pick<Deps, 'table' | 'keys' | 'commitStatuses'>;

/**
 * Tells the host of a revision's commit how it goes with it, where the deployment has an integration for that
 * host. What the host shows may be public, so it is told the status and nothing else.
 */
export async function reportCommit(deps: ReportDeps, ref: RevisionRef): Promise<void> {
  const revision = await findRevision(deps.table, ref);
  const commit = revision?.revision_config.repo_commit_sha;
  if (revision === undefined || commit === undefined || !sourceKinds[revision.source].isWatched) return;
  const deployment = await findDeployment(deps.table, ref.tenantId, ref.deploymentId);
  const integrationId = deployment?.config.integration_id;
  if (deployment === undefined || integrationId === undefined) return;
  const [integration, { repo_url: repoUrl }] = await Promise.all([
    findIntegration(deps.table, ref.tenantId, integrationId),
    getConfiguration(deps.table, ref, revision.configuration),
  ]);
  const repository = integration && repositoryOn(integration.host, repoUrl);
  if (integration === undefined || repository === undefined) return;
  const { token } = await openCredentials(deps, integration);
  await deps.commitStatuses.set({
    ...{ type: integration.type, host: integration.host, token },
    ...{ repository, commit, context: `slipway/${deployment.name}` },
    ...saidOf(revision),
  });
}

/** The token is for the repositories of its host alone, as they are cloned with it. */
function repositoryOn(host: string, repoUrl: string | undefined): string | undefined {
  if (repoUrl === undefined || !URL.canParse(repoUrl)) return undefined;
  const url = new URL(repoUrl);
  if (url.protocol !== 'https:' || url.host.toLowerCase() !== host) return undefined;
  return withoutTrailing(url.pathname.replace(/^\/+/, ''), '/').replace(/\.git$/, '');
}

function saidOf({ status }: Revision): { state: 'pending' | 'success' | 'failure'; description: string } {
  if (status === 'DEPLOYED') return { state: 'success', description: 'Deployed' };
  return isTerminal(status)
    ? { state: 'failure', description: `Not deployed: ${status}` }
    : { state: 'pending', description: 'Being built and deployed' };
}
