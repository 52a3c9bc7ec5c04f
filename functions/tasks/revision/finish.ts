import * as parts from '../../../lib/container.ts';
import { finishRevision } from '../../../lib/core/steps/finish.ts';
import { holdDeployedImage } from '../../../lib/core/steps/hold-image.ts';
import { reportCommit } from '../../../lib/core/steps/report-commit.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Finish', finishRevision, holdDeployedImage, reportCommit);
export const handler = create(() => ({
  ...{ table: parts.table(), clock: parts.clock, logs: parts.logs(), images: parts.images() },
  ...{ builds: parts.buildControl(), blobs: parts.blobs(), settings: parts.settings() },
  ...{ keys: parts.keys(), commitStatuses: parts.commitStatuses() },
}));
