import {
  agentSecrets,
  blobs,
  clock,
  commitStatuses,
  keys,
  lookingGit,
  table,
} from '../../../lib/container.ts';
import { prepareRevision } from '../../../lib/core/steps/prepare.ts';
import { reportCommit } from '../../../lib/core/steps/report-commit.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Prepare', prepareRevision, reportCommit);
export const handler = create(() => ({
  table: table(),
  clock,
  git: lookingGit(),
  blobs: blobs(),
  keys: keys(),
  agentSecrets: agentSecrets(),
  commitStatuses: commitStatuses(),
}));
