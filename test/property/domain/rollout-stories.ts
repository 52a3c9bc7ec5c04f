import fc from 'fast-check';
import type { Goal, Step } from '../../../lib/domain/rollout.ts';

/** How far a step comes. `half`: a set is marked, but traffic not moved. `unheard`: the answer is lost. */
export type Fate = 'done' | 'killed before' | 'half' | 'killed after' | 'unheard';

export const GRACE = 180_000;
const KEYS = ['a', 'b', 'c', 'd', 'never'] as const;
export type Key = (typeof KEYS)[number];
const SCALES: Record<Key, { min: number; max: number }> = {
  a: { min: 0, max: 4 },
  b: { min: 2, max: 5 },
  c: { min: 1, max: 1 },
  d: { min: 1, max: 9 },
  never: { min: 1, max: 3 },
};
export const goalOf = (key: Key): Goal => ({ key, ...SCALES[key], graceMilliseconds: GRACE });

/**
 * What happens to the world beside what the decider does. `crowd`: a machine has no room; `silence`: a lease
 * runs out; `overtake`: and an interrupt is first then; `lapse`: the task ends unheard; `redeploy`,
 * `grow`, `shrink`: what serves; `route`: a person moves the traffic.
 */
export type Event =
  | { do: 'deploy'; key: Key }
  | { do: 'pass'; milliseconds: number }
  | { do: 'settle' | 'unready' | 'fail' | 'crowd' | 'delete_set' | 'route'; nth: number }
  | { do: 'claim' | 'heartbeat' | 'interrupt' | 'silence' | 'overtake' | 'lapse' }
  | { do: 'redeploy' | 'grow' | 'shrink' | 'delete' };

/** One step, however far it comes; or as many as it takes until one of that kind is done. */
type Deciding = { do: 'step'; fate: Fate } | { do: 'run'; until: Step['do'] };

export type Story = {
  /** What served already in the beginning; `stray`: beside what a deploy has left that was cut off. */
  start: { key: Key; servers: number; stray: boolean } | undefined;
  events: (Event | Deciding)[];
};

const one = <T extends Event['do']>(...all: T[]) => fc.constantFrom(...all);
const fate = fc.constantFrom<Fate[]>('done', 'killed before', 'half', 'killed after', 'unheard');
const untilDone = fc.constantFrom<Step['do'][]>(
  'create',
  'announce',
  'announce',
  'move',
  'move',
  'report',
  'retire',
);
const event = fc.oneof(
  { weight: 9, arbitrary: fc.record({ do: fc.constant('run' as const), until: untilDone }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('step' as const), fate }) },
  { weight: 6, arbitrary: fc.record({ do: one('deploy'), key: fc.constantFrom(...KEYS) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: one('settle', 'unready', 'fail', 'crowd', 'delete_set'), nth: fc.nat(2) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: one(
        'claim',
        'heartbeat',
        'interrupt',
        'silence',
        'overtake',
        'lapse',
        'redeploy',
        'grow',
        'shrink',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one('delete') }) },
  { weight: 1, arbitrary: fc.record({ do: one('route'), nth: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: one('pass'), milliseconds: fc.constantFrom(1_000, 60_000, GRACE, 600_000) }),
  },
);
export const stories: fc.Arbitrary<Story> = fc.record({
  start: fc.option(
    fc.record({
      key: fc.constantFrom('a', 'd'),
      servers: fc.integer({ min: 1, max: 9 }),
      stray: fc.boolean(),
    }),
    { nil: undefined },
  ),
  events: fc.array(event, { minLength: 4, maxLength: 30, size: 'max' }),
});
