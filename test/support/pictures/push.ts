import { arrow, box, group, label, type Picture } from './shapes.ts';

export const push: Picture = {
  name: 'push',
  title: 'From a push to a revision',
  description:
    'A push reaches the git host, which sends a delivery. Slipway checks its signature, stores it and answers. Then it reads the head of the branch, which is the commit that counts. Every five minutes it reads the heads of all watched branches too, in case a delivery was lost. For each deployment of that repository and branch whose paths were touched it makes a revision. One that waits is skipped when a newer push comes. The revision is built and deployed, and the commit shows what became of it.',
  height: 372,
  shapes: [
    box([24, 40, 144, 68], 'Git host', { icon: 'git-branch', notes: ['somebody pushes', 'to a branch'] }),
    box([232, 40, 144, 68], 'Delivery', {
      icon: 'webhook',
      notes: ['signature checked,', 'stored, answered'],
    }),
    box([424, 40, 144, 68], 'Head', {
      icon: 'git-commit-horizontal',
      notes: ['of the branch is', 'read: it is built'],
    }),
    box([616, 40, 160, 68], 'Deployments', {
      icon: 'layers',
      notes: ['of this branch and', 'the touched paths'],
    }),
    arrow([
      [168, 74],
      [232, 74],
    ]),
    label([200, 66], 'sends', { anchor: 'middle' }),
    arrow([
      [376, 74],
      [424, 74],
    ]),
    arrow([
      [568, 74],
      [616, 74],
    ]),
    box([404, 148, 184, 52], 'Every 5 minutes', { icon: 'timer', notes: ['in case one was lost'] }),
    arrow([
      [496, 148],
      [496, 108],
    ]),
    arrow([
      [688, 108],
      [688, 264],
    ]),
    group([212, 232, 564, 116], 'Revision'),
    box([616, 264, 144, 68], 'Queued', { notes: ['a newer push skips', 'one that waits'] }),
    box([424, 264, 152, 68], 'Build', { icon: 'hammer', tone: 'busy', notes: ['of exactly', 'that commit'] }),
    box([232, 264, 152, 68], 'Deploy', {
      icon: 'server',
      tone: 'ok',
      notes: ['the one before', 'serves until then'],
    }),
    arrow([
      [616, 298],
      [576, 298],
    ]),
    arrow([
      [424, 298],
      [384, 298],
    ]),
    arrow([
      [232, 298],
      [96, 298],
      [96, 108],
    ]),
    label([108, 252], 'status of', {}),
    label([108, 268], 'the commit', {}),
  ],
};
