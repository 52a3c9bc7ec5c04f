import { clock, git, keys, settings, table } from '../../lib/container.ts';
import { lookAtHead, lookAtHeads } from '../../lib/features/pushes/look-at-heads.ts';
import { headsLook } from '../../lib/triggers/heads-look.ts';

export const create = headsLook(lookAtHeads, lookAtHead);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  git: git(),
  settings: settings(),
}));
