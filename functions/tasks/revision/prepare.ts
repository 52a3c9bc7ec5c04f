import { agentSecrets, blobs, clock, commitStatuses, git, keys, table } from '../../../lib/container.ts';
import { prepareRevision } from '../../../lib/core/steps/prepare.ts';
import { reportCommit } from '../../../lib/core/steps/report-commit.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Prepare', prepareRevision, reportCommit);
export const handler = create(() => ({
  table: table(),
  clock,
  git: git(),
  blobs: blobs(),
  keys: keys(),
  agentSecrets: agentSecrets(),
  commitStatuses: commitStatuses(),
}));
