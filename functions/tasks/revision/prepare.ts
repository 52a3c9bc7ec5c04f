import { prepareRevision } from '../../../lib/app/steps/prepare.ts';
import { blobs, clock, git, keys, table } from '../../../lib/container.ts';
import { task } from '../../../lib/triggers/task.ts';

export const create = task('Prepare', prepareRevision);
export const handler = create(() => ({ table: table(), clock, git: git(), blobs: blobs(), keys: keys() }));
