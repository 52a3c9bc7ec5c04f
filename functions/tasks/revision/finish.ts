import { finishRevision } from '../../../lib/app/steps/finish.ts';
import { holdDeployedImage } from '../../../lib/app/steps/hold-image.ts';
import { blobs, buildControl, clock, images, logs, settings, table } from '../../../lib/container.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Finish', finishRevision, holdDeployedImage);
export const handler = create(() => ({
  table: table(),
  clock,
  logs: logs(),
  images: images(),
  builds: buildControl(),
  blobs: blobs(),
  settings: settings(),
}));
