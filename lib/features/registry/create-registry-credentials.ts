import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditHandOut } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import type { createRegistryCredentials as row } from './routes.ts';
import type { RegistryCredentialsView } from './shape.ts';

/** What a listener pulls the images of its tenant with, and no others. */
export async function createRegistryCredentials(
  deps: Pick<Deps, 'table' | 'registry' | 'clock' | 'auditLog'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<RegistryCredentialsView> {
  await getListenerItem(deps.table, caller.tenantId, params.listener_id);
  if (deps.registry === undefined) throw refuse('no_registry', {});
  const { registryHost, username, password, expiresAt } = await deps.registry.pullLogin(caller.tenantId);
  auditHandOut(deps, { action: 'registry_credentials.create', subject_id: params.listener_id }, caller);
  return { registry: registryHost, username, password, expires_at: expiresAt };
}
