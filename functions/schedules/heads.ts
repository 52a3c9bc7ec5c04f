import { lookAtHead, lookAtHeads } from '../../lib/app/pushes/look-at-heads.ts';
import { clock, keys, lookingGit, settings, table } from '../../lib/container.ts';
import { headsLook } from '../../lib/triggers/heads-look.ts';

export const create = headsLook(lookAtHeads, lookAtHead);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  git: lookingGit(),
  settings: settings(),
}));
