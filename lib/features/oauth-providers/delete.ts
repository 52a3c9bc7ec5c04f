import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditRemovalWrite } from '../../core/audit-removal.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getNamedProvider } from '../../core/items/oauth-providers.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { deleteProvider as row } from './routes.ts';
import { removeProvider } from './store.ts';

/**
 * Forgets a provider and its secret at once. Its tokens stay, of no use: they are never sent to another
 * provider of the same name.
 */
export async function deleteProvider(
  deps: Pick<Deps, 'table' | 'clock' | 'settings'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const provider = await getNamedProvider(deps.table, caller.organizationId, params.provider_id);
  const { provider_id: providerId } = provider;
  try {
    await transact(deps.table, [
      removeProvider(provider),
      auditRemovalWrite(deps, { action: 'oauth_provider.delete', subject_id: providerId }, caller),
    ]);
  } catch (error) {
    throw error instanceof ConditionsFailed ? refuse('oauth_provider_not_found', { providerId }) : error;
  }
  return { message: `OAuth provider '${providerId}' deleted.`, provider_id: providerId };
}
