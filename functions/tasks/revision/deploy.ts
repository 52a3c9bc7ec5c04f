import { deployRevision } from '../../../lib/app/steps/deploy.ts';
import { clock, table } from '../../../lib/container.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Deploy', deployRevision);
export const handler = create(() => ({ table: table(), clock }));
