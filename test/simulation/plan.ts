import { HOUR, MINUTE, SECOND } from './faults.ts';
import type { Random } from './random.ts';

export type Incident = {
  /** Milliseconds after the beginning. */
  at: number;
  what:
    | 'outage'
    | 'kill'
    | 'orderly stop'
    | 'listener restart'
    | 'listener freeze'
    | 'mass redeploy'
    | 'broken port';
  milliseconds: number;
};

/** What a run is made of. */
export type Plan = {
  /** One process does all of the control plane, as `npm start`; else functions that die one by one. */
  isEmbedded: boolean;
  deployments: number;
  acts: number;
  listeners: number;
  isSlow: boolean;
  /**
   * Silences, waits for a builder and builds last no longer than this, in seconds: short ones meet what they
   * race with more often.
   */
  patienceSeconds: { listener: number; queue: number; build: number };
  /** So long things go wrong. */
  faultyMilliseconds: number;
  incidents: Incident[];
  /** Listeners are offered a doorbell. */
  isRung: boolean;
};

/** Chooses what happens in a run: mostly a small world for some minutes, seldom a crowd or a day. */
export function aPlan(random: Random): Plan {
  const isCrowd = random.chance(0.004);
  const faultyMilliseconds = random.pick([3, 8, 20]) * MINUTE;
  const isEmbedded = random.chance(0.4);
  const isImpatient = !isCrowd && random.chance(0.4);
  const incidents: Incident[] = [];
  const add = (probability: number, what: Incident['what'], from: number, to: number) => {
    if (random.chance(probability))
      incidents.push({
        at: random.between(0.02, 0.9) * faultyMilliseconds,
        what,
        milliseconds: random.between(from, to),
      });
  };
  for (let n = 0; n < 3; n++) add(isEmbedded ? 0.4 : 0, 'kill', 1 * SECOND, 90 * SECOND);
  add(isEmbedded ? 0.3 : 0, 'orderly stop', 1 * SECOND, 90 * SECOND);
  add(0.15, isEmbedded ? 'kill' : 'outage', 16 * MINUTE, 40 * MINUTE);
  add(0.03, isEmbedded ? 'kill' : 'outage', 24 * HOUR, 27 * HOUR);
  for (let n = 0; n < 2; n++) add(0.3, 'listener restart', 1 * SECOND, 400 * SECOND);
  for (let n = 0; n < 2; n++) add(0.3, 'listener freeze', 5 * SECOND, (isImpatient ? 350 : 1_200) * SECOND);
  add(isCrowd ? 1 : 0.1, 'mass redeploy', 0, 0);
  add(0.15, 'broken port', 1 * MINUTE, 30 * MINUTE);
  return {
    isEmbedded,
    deployments: isCrowd ? 61 : random.whole(1, 3),
    acts: isCrowd ? 10 : random.whole(2, 12),
    listeners: random.chance(0.3) ? 2 : 1,
    isSlow: isCrowd || random.chance(0.05),
    patienceSeconds: isImpatient
      ? { listener: 240, queue: 60, build: 60 }
      : { listener: 900, queue: 1800, build: 1800 },
    faultyMilliseconds,
    incidents,
    isRung: random.chance(0.5),
  };
}
