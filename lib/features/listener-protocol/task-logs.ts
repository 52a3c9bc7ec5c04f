import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { revisionOf } from '../../core/items/tasks.ts';
import { heldTask } from './held-task.ts';
import { revisionMask } from './masked.ts';
import type { shipTaskLogs as row } from './routes.ts';

/** Keeps what a listener says while it works on a task as deploy log lines of the revision. */
export async function shipTaskLogs(
  deps: Pick<Deps, 'table' | 'keys' | 'logs' | 'agentSecrets'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Pick<Caller, 'tenantId'>,
): Promise<{ accepted: number }> {
  const task = await heldTask(deps, caller.tenantId, params, body.lease_id);
  if (task.kind === 'DELETE') return { accepted: 0 };
  const ref = revisionOf(task);
  const mask = await revisionMask(deps, ref);
  const lines = body.lines.map((line) => ({ ...line, message: mask(line.message) }));
  await deps.logs.append({ ...ref, type: 'deploy' }, lines);
  return { accepted: lines.length };
}
