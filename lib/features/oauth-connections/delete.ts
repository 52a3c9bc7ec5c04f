import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditRemovalWrite } from '../../core/audit-removal.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { ownerOfCaller } from '../../core/items/oauth-tokens.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { deleteConnection as row } from './routes.ts';
import { findConnection, removeConnection } from './store.ts';

/** Takes a token of the caller from an agent; the token stays. Throws 404. */
export async function deleteConnection(
  deps: Pick<Deps, 'table' | 'clock' | 'settings'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { connection_id: id, agent_id: agentId } = params;
  const owner = { ...ownerOfCaller(caller), agentId };
  const item = await findConnection(deps.table, owner, id);
  if (item === undefined) throw refuse('connection_not_found', { id });
  try {
    await transact(deps.table, [
      ...removeConnection(item),
      auditRemovalWrite(deps, { action: 'connection.delete', subject_id: id }, caller),
    ]);
  } catch (error) {
    // It went meanwhile, perhaps together with its token.
    throw error instanceof ConditionsFailed ? refuse('connection_not_found', { id }) : error;
  }
}
