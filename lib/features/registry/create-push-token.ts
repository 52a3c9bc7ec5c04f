import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditHandOut } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { checkOpen } from '../../core/deployments/checks.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import { sourceKinds } from '../../domain/source.ts';
import type { createPushToken as row } from './routes.ts';
import { NO_REGISTRY, type PushTokenView } from './shape.ts';

/** Hands out what pushes an image to this deployment's repository, and nothing else. Nothing is stored. */
export async function createPushToken(
  deps: Pick<Deps, 'table' | 'registry' | 'clock' | 'auditLog'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<PushTokenView> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  checkOpen(deployment);
  if (!sourceKinds[deployment.source].isPushedHere) throw refuse('push_source', {});
  if (deps.registry === undefined) throw refuse('source_configuration', { reason: NO_REGISTRY });
  // Older clients log in under the user name of another registry, and would see only "denied".
  if (body.supports_registry_username !== true) throw refuse('push_client', {});
  const login = await deps.registry.pushLogin({ tenantId: caller.tenantId, deploymentId: deployment.id });
  auditHandOut(deps, { action: 'push_token.create', deployment_id: deployment.id }, caller);
  return {
    token: login.password,
    registry_url: login.registryHost,
    username: login.username,
    repository_url: login.repository,
  };
}
