import { arrow, bar, guide, label, lines, type Picture } from './shapes.ts';

/** Where things happen on the axis of time. */
const BEGIN = 176;
const START = 232;
const READY = 376;
const SWITCH = 452;
const DRAINED = 664;
const END = 776;

const lane = (y: number, title: string, says: readonly string[]) => [
  label([24, y], title, { tone: 'plain', strong: true }),
  ...lines([24, y + 18], says),
];

/** A request that was on its way when traffic moved, and is answered after that. */
const inFlight = (y: number, from: number, to: number) =>
  arrow(
    [
      [from, y],
      [to, y],
    ],
    { tone: 'ok' },
  );

export const releaseSwitch: Picture = {
  name: 'release-switch',
  title: 'How a revision takes over',
  description:
    'Time runs from left to right. Revision 12 serves. Revision 13 starts beside it, and gets no request until all its servers are ready. Then one write moves the address. New requests go to revision 13. Requests that were on their way are answered by revision 12, which ends when they are done or its time to drain is over. If revision 13 does not become ready, nothing moves and revision 12 goes on serving.',
  height: 424,
  shapes: [
    guide([
      [SWITCH, 44],
      [SWITCH, 330],
    ]),
    guide([
      [DRAINED, 128],
      [DRAINED, 330],
    ]),
    label([SWITCH, 34], 'The switch: one write', { anchor: 'middle', tone: 'plain', strong: true }),

    ...lane(72, 'Address', ['New requests go to']),
    bar([BEGIN, 58, SWITCH - BEGIN - 4, 36], 'revision 12', 'ok'),
    bar([SWITCH + 4, 58, END - SWITCH - 4, 36], 'revision 13', 'ok'),

    ...lane(144, 'Revision 12', ['Serves, then finishes', 'what it has begun']),
    bar([BEGIN, 130, SWITCH - BEGIN - 4, 36], 'serves', 'ok'),
    bar([SWITCH + 4, 130, DRAINED - SWITCH - 4, 36], 'drains: no new requests', 'idle'),
    label([BEGIN, 198], 'requests in flight'),
    inFlight(182, 312, 516),
    inFlight(194, 372, 560),
    inFlight(206, 412, 632),
    label([DRAINED + 12, 152], 'ends'),

    ...lane(250, 'Revision 13', ['Starts beside it']),
    bar([START, 236, READY - START - 4, 36], 'starts', 'busy'),
    bar([READY, 236, SWITCH - READY - 4, 36], 'ready', 'busy'),
    bar([SWITCH + 4, 236, END - SWITCH - 4, 36], 'serves', 'ok'),
    ...lines([START, 292], ['asked at its health', 'path until it answers']),

    arrow(
      [
        [SWITCH, 320],
        [DRAINED, 320],
      ],
      { heads: 'both' },
    ),
    label([(SWITCH + DRAINED) / 2, 344], 'drain_seconds', { anchor: 'middle', mono: true, tone: 'plain' }),
    label([(SWITCH + DRAINED) / 2, 362], '30 s on a machine, 180 s on Fargate and in clusters', {
      anchor: 'middle',
    }),
    label(
      [24, 402],
      'If revision 13 does not become ready, nothing moves: it ends with its reason, and revision 12 serves on.',
    ),
  ],
};
