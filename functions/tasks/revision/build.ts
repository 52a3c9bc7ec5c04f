import { agentSecrets, builds, clock, keys, settings, table } from '../../../lib/container.ts';
import { buildRevision } from '../../../lib/core/steps/build.ts';
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
