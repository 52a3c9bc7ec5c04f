import { lookNow } from '../../lib/app/engine/look-now.ts';
import { clock, table } from '../../lib/container.ts';
import { executionEnded } from '../../lib/triggers/execution-event.ts';

export const create = executionEnded(lookNow);
export const handler = create(() => ({ table: table(), clock }));
