import type { ExecutionInput } from '../../adapters/workflow.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { put } from '../../store/expressions.ts';
import type { TaskToken } from '../../store/items.ts';
import { tokenKey } from '../../store/keys.ts';
import type { Write } from '../../store/operations.ts';

/** What a token task is called with. */
export type TokenTask = ExecutionInput & { token: string };

/** Keeps the newest token of a revision; tokens never leave the table. */
export function storeToken(task: TokenTask, stage: TaskToken['stage']): Write {
  const item: TaskToken = { v: 1, entity: 'token', tenant_id: task.tenantId, stage, token: task.token };
  return put('token', { ...tokenKey(task.tenantId, task.deploymentId, numberOf(task.revisionId)), ...item });
}
