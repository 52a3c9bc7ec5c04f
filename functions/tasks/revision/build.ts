import { buildRevision } from '../../../lib/app/steps/build.ts';
import { agentSecrets, builds, clock, keys, settings, table } from '../../../lib/container.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Build', buildRevision);
export const handler = create(() => ({
  table: table(),
  clock,
  builds: builds(),
  keys: keys(),
  agentSecrets: agentSecrets(),
  settings: settings(),
}));
