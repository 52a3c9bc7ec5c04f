import { finishRevision } from '../../../lib/app/steps/finish.ts';
import { clock, logs, table } from '../../../lib/container.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Finish', finishRevision);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
