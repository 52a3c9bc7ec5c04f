import { clock, defaultRuntime, table } from '../../../lib/container.ts';
import { deployRevision } from '../../../lib/core/steps/deploy.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Deploy', deployRevision);
export const handler = create(() => ({
  table: table(),
  clock,
  settings: { defaultRuntime: defaultRuntime() },
}));
