import { lookAtHeads } from '../../lib/app/pushes/look-at-heads.ts';
import { clock, keys, lookingGit, table } from '../../lib/container.ts';
import { schedule } from '../../lib/triggers/schedule.ts';

export const create = schedule('heads', lookAtHeads);
export const handler = create(() => ({ table: table(), clock, keys: keys(), git: lookingGit() }));
