import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { arrow, box, group, label, lines, type Picture, type Point, type Tone } from './shapes.ts';

/** The lines of the picture, by what becomes what. One from a stage counts for each status in it. */
const moves: readonly [from: readonly RevisionStatus[], to: RevisionStatus, path: readonly Point[]][] = [
  [
    ['CREATING'],
    'QUEUED',
    [
      [352, 66],
      [392, 66],
    ],
  ],
  [
    ['QUEUED'],
    'AWAITING_BUILD',
    [
      [468, 92],
      [468, 129],
      [276, 129],
      [276, 166],
    ],
  ],
  [
    ['QUEUED'],
    'AWAITING_DEPLOY',
    [
      [468, 92],
      [468, 129],
      [168, 129],
      [168, 318],
      [200, 318],
    ],
  ],
  [
    ['AWAITING_BUILD'],
    'BUILDING',
    [
      [352, 192],
      [392, 192],
    ],
  ],
  [
    ['BUILDING'],
    'AWAITING_DEPLOY',
    [
      [468, 218],
      [468, 255],
      [276, 255],
      [276, 292],
    ],
  ],
  [
    ['AWAITING_DEPLOY'],
    'DEPLOYING',
    [
      [352, 318],
      [392, 318],
    ],
  ],
  [
    ['DEPLOYING'],
    'DEPLOYED',
    [
      [500, 344],
      [500, 496],
    ],
  ],
  [
    ['UNKNOWN'],
    'DEPLOYED',
    [
      [276, 440],
      [276, 522],
      [392, 522],
    ],
  ],
  [
    ['CREATING', 'QUEUED'],
    'CREATE_FAILED',
    [
      [558, 66],
      [614, 66],
    ],
  ],
  [
    ['AWAITING_BUILD', 'BUILDING'],
    'BUILD_FAILED',
    [
      [558, 192],
      [614, 192],
    ],
  ],
  [
    ['AWAITING_DEPLOY', 'DEPLOYING', 'UNKNOWN'],
    'DEPLOY_FAILED',
    [
      [558, 318],
      [614, 318],
    ],
  ],
];
const back: readonly Point[] = [
  [440, 344],
  [440, 414],
  [352, 414],
];

/** What stands in words below. */
const underWay: readonly RevisionStatus[] = [
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'UNKNOWN',
];
const asides: readonly [from: readonly RevisionStatus[], to: RevisionStatus][] = [
  [['CREATING', 'QUEUED'], 'SKIPPED'],
  [underWay, 'INTERRUPTED'],
];

/** Each status with what it may become, as the picture says it. */
export function shownTransitions(): [from: RevisionStatus, to: RevisionStatus][] {
  const drawn = [...moves, ...asides].flatMap(([froms, to]) =>
    froms.map((from): [RevisionStatus, RevisionStatus] => [from, to]),
  );
  return [...drawn, ['DEPLOYING', 'UNKNOWN'], ['UNKNOWN', 'DEPLOYING']];
}

const state = (at: Point, status: RevisionStatus, note: string, tone: Tone = 'busy', width = 152) =>
  box([...at, width, 52], status, { notes: [note], mono: true, tone });

const isFailure = (status: RevisionStatus): boolean => status.endsWith('_FAILED');

const stage = (y: number, height: number, title: string, says: readonly string[]) => [
  group([186, y, 372, height]),
  label([24, y + 22], title, { tone: 'plain', strong: true }),
  ...lines([24, y + 42], says),
];

export const revisionPath: Picture = {
  name: 'revision-path',
  title: 'The path of a revision',
  description:
    'A revision is created, waits for its turn, is built, and is deployed. Each of the three stages can fail, with a status of its own and a reason. An image, a rollback or a change of settings alone skips the build. A deploy whose listener is silent is unknown until the listener is heard again. A revision that waits for its turn can be skipped, and any that has not ended can be interrupted. Whatever fails, the revision before goes on serving.',
  height: 664,
  shapes: [
    ...stage(24, 84, 'Create', ['One revision of a', 'deployment at a time']),
    ...stage(150, 84, 'Build', ['Skipped by images,', 'rollbacks and', 'changed settings']),
    ...stage(276, 180, 'Deploy', ['New servers start', 'beside those that', 'serve']),
    ...moves.map(([, to, path]) =>
      arrow(path, { joins: to.startsWith('AWAITING'), ...(isFailure(to) && { tone: 'bad' }) }),
    ),
    arrow(back, { heads: 'both', tone: 'warn' }),
    state([200, 40], 'CREATING', 'is being stored', 'plain'),
    state([392, 40], 'QUEUED', 'waits for its turn', 'plain'),
    state([200, 166], 'AWAITING_BUILD', 'waits for a builder'),
    state([392, 166], 'BUILDING', 'the source is built'),
    state([200, 292], 'AWAITING_DEPLOY', 'waits for a listener'),
    state([392, 292], 'DEPLOYING', 'servers start'),
    state([200, 388], 'UNKNOWN', 'listener is silent', 'warn'),
    state([392, 496], 'DEPLOYED', 'gets the requests', 'ok'),
    state([614, 40], 'CREATE_FAILED', 'its listener is gone', 'bad', 162),
    state([614, 166], 'BUILD_FAILED', 'with the reason', 'bad', 162),
    state([614, 292], 'DEPLOY_FAILED', 'with the reason', 'bad', 162),
    ...lines([614, 372], ['Whatever fails, the', 'revision before goes', 'on serving.']),
    state([24, 588], 'SKIPPED', 'A newer push came while this one was queued.', 'idle', 368),
    state([408, 588], 'INTERRUPTED', 'Stopped by somebody, at any point before the end.', 'idle', 368),
  ],
};
