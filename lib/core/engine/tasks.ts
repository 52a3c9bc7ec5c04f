import { transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { cancelTaskWrite } from '../items/tasks.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { releaseTaskWrites } from './transactions/tasks.ts';

/**
 * Ends a task that nobody needs or answers any more. What its listener may still say of it comes with a lower
 * epoch and is refused.
 */
export async function releaseTask(deps: EngineDeps, { deployment, task }: Loaded): Promise<void> {
  if (task !== undefined) await transact(deps.table, releaseTaskWrites(deployment, task, deps.clock.now()));
}

/** Tells the listener that holds it to stop. */
export async function cancelTask(deps: EngineDeps, { task }: Loaded): Promise<void> {
  if (task?.state === 'claimed') await write(deps.table, cancelTaskWrite(task));
}
