import { runFields } from '../../contract/deployments/fields.ts';
import { masked } from '../../contract/deployments/secrets.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { fieldsOrNull, revisionViewOf, slotRevisionFor } from '../../core/deployments/views.ts';
import type { Deps } from '../../core/deps.ts';
import { getConfiguration, getDeploymentItem } from '../../core/items/deployments.ts';
import type { Revision } from '../../core/items/items.ts';
import { getRevisionItem } from '../../core/items/revisions.ts';
import type { getRevision as row } from './routes.ts';
import type { RevisionView } from './shape.ts';

export async function getRevision(
  deps: Pick<Deps, 'table'>,
  { params, query }: Pick<RouteInput<typeof row>, 'params' | 'query'>,
  caller: Caller,
): Promise<RevisionView> {
  const ref = {
    tenantId: caller.tenantId,
    deploymentId: params.deployment_id,
    revisionId: params.revision_id,
  };
  const { shown, revision } = await show(deps, ref);
  if (query.include?.includes('configuration') !== true) return shown;
  return { ...shown, configuration: await configurationOf(deps, ref, revision) };
}

/** Throws `deployment_not_found` or `revision_not_found`. */
async function show(
  deps: Pick<Deps, 'table'>,
  ref: RevisionRef,
): Promise<{ shown: RevisionView; revision: Revision }> {
  const deployment = await getDeploymentItem(deps.table, ref.tenantId, ref.deploymentId);
  const revision = await getRevisionItem(deps.table, ref);
  const slotRevision = await slotRevisionFor(deps, deployment, [revision]);
  return { shown: revisionViewOf(revision, deployment, slotRevision), revision };
}

async function configurationOf(
  { table }: Pick<Deps, 'table'>,
  ref: RevisionRef,
  { configuration: version, secrets, build_secrets: ofBuilds }: Revision,
): Promise<RevisionView['configuration']> {
  const found = await getConfiguration(table, ref, version);
  const { build_secrets: buildSecrets, secret_names } = found;
  return {
    ...fieldsOrNull(found, runFields),
    build_secrets: buildSecrets === undefined ? null : masked(buildSecrets.names),
    secret_names,
    secrets_version: secrets ?? null,
    build_secrets_version: ofBuilds ?? null,
  };
}
