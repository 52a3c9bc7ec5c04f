import { clock, table } from '../../lib/container.ts';
import { requeue } from '../../lib/core/engine/requeue.ts';
import { executionEnded } from '../../lib/triggers/execution-event.ts';

export const create = executionEnded(requeue);
export const handler = create(() => ({ table: table(), clock }));
