import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditRemovalWrite } from '../../core/audit-removal.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { removeIntegration } from '../../core/items/integrations.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { deleteIntegration as row } from './routes.ts';

/**
 * Forgets an integration and its token at once: who takes a token back, perhaps because it has leaked, must
 * not have to change deployments first. Those that name it stay as they are; their next build reads the
 * repository as anybody may, and says so when that fails.
 */
export async function deleteIntegration(
  deps: Pick<Deps, 'table' | 'clock' | 'settings'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { integration_id: id } = params;
  try {
    await transact(deps.table, [
      ...removeIntegration(caller.tenantId, id),
      auditRemovalWrite(deps, { action: 'integration.delete', subject_id: id }, caller),
    ]);
  } catch (error) {
    throw error instanceof ConditionsFailed ? refuse('integration_not_found', { id }) : error;
  }
}
