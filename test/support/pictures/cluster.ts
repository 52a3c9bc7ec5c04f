import { type Area, arrow, box, group, label, type Picture } from './shapes.ts';

const object = (at: Area, kind: string, ...notes: string[]) => box(at, kind, { mono: true, notes });

/** What one content of a deployment becomes. */
const set = (x: number, title: string, isNext: boolean) => [
  group([x, 238, 250, 262], title, { dashed: isNext }),
  box([x + 16, 272, 218, 52], 'Deployment', {
    mono: true,
    notes: ['servers, and queue workers'],
    tone: isNext ? 'busy' : 'ok',
  }),
  object([x + 16, 332, 218, 32], 'Service (trial)'),
  object([x + 16, 372, 218, 32], 'Secret'),
  object([x + 16, 412, 218, 32], 'HorizontalPodAutoscaler'),
  object([x + 16, 452, 218, 32], 'PodDisruptionBudget'),
];

export const cluster: Picture = {
  name: 'cluster',
  title: 'What a deployment is in a cluster',
  description:
    'The listener runs in a namespace of its own, as two pods of which one leads; a Lease says which. It asks the control plane for work and applies objects in the namespace of agents. A deployment has a Service, whose selector names the set that serves, an HTTPRoute or an Ingress, a NetworkPolicy, a ServiceAccount, and Redis and Postgres where it brings none. Each set has a Deployment, a trial Service, a Secret, and where they are asked for a HorizontalPodAutoscaler and a PodDisruptionBudget. The next set starts beside the one that serves.',
  height: 616,
  shapes: [
    box([600, 24, 160, 44], 'Users of agents'),
    group([24, 100, 172, 258], 'Namespace slipway'),
    object([40, 138, 140, 52], 'Lease', 'who leads'),
    object([40, 206, 140, 52], 'Secret', 'key to the API'),
    box([40, 274, 140, 68], 'Listener', { icon: 'radio', notes: ['two pods,', 'one leads'] }),
    box([24, 424, 172, 52], 'Control plane', { icon: 'cloud', notes: ['is asked for work'] }),
    arrow([
      [110, 342],
      [110, 424],
    ]),
    arrow([
      [180, 308],
      [228, 308],
    ]),

    group([228, 100, 548, 492], 'Namespace agents'),
    object([244, 138, 324, 52], 'Service', 'its selector names the set that serves'),
    object([600, 138, 160, 52], 'HTTPRoute', 'or an Ingress'),
    arrow([
      [680, 68],
      [680, 138],
    ]),
    arrow([
      [600, 164],
      [568, 164],
    ]),
    arrow(
      [
        [428, 190],
        [428, 272],
      ],
      { tone: 'ok' },
    ),
    arrow(
      [
        [500, 190],
        [500, 214],
        [635, 214],
        [635, 272],
      ],
      { dashed: true },
    ),
    label([644, 222], 'after the switch'),
    ...set(244, 'Set that serves', false),
    ...set(510, 'Next set', true),
    object([244, 524, 121, 52], 'NetworkPolicy', 'port 8000'),
    object([373, 524, 129, 52], 'ServiceAccount', 'no rights'),
    object([510, 524, 121, 52], 'Redis', 'if it has none'),
    object([639, 524, 121, 52], 'Postgres', 'if it has none'),
  ],
};
