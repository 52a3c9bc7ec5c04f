import { buildRevision } from '../../../lib/app/steps/build.ts';
import { builds, clock, keys, settings, table } from '../../../lib/container.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Build', buildRevision);
export const handler = create(() => ({
  table: table(),
  clock,
  builds: builds(),
  keys: keys(),
  settings: settings(),
}));
