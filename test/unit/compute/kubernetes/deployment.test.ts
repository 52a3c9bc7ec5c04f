import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ClusterDeployment } from '../../../../lib/compute/kubernetes/deployment.ts';
import type { Found, FoundSet } from '../../../../lib/compute/port.ts';
import { TaskEnded } from '../../../../lib/listener/held-task.ts';
import { serverSpec } from '../../../support/kubernetes/specs.ts';

const spec = serverSpec();
const serving: FoundSet = {
  key: 'old',
  revisionId: spec.revision_id,
  wanted: 1,
  ready: 1,
  served: true,
  isWhole: true,
  isLeaving: false,
  retiredAt: undefined,
};
const trafficTo = (key: string) => [{ set: key, weight: 100 }];

/** So many microtasks later: between any two parts of a look and its step. */
async function microtasks(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await Promise.resolve();
}

/** More than a look and its step take. */
const MICROTASKS = 30;

/**
 * A deployment on sets that are as `found` says. Whatever changes them is listed; `meanwhile` happens once,
 * `at` so many microtasks after the look of that number.
 */
function aDeployment(
  found: Found,
  key: string,
  { number, at, meanwhile }: { number: number; at: number; meanwhile: () => void },
) {
  const changes: string[] = [];
  let looks = 0;
  const look = async (): Promise<Found> => {
    looks += 1;
    if (looks === number) void microtasks(at).then(meanwhile);
    return structuredClone(found);
  };
  const plan = { revisionId: spec.revision_id, keys: { plain: key, fresh: `${key}-again` } };
  const numbers = { min: 1, max: 1, graceMilliseconds: 0 };
  const noted = (name: string) => async () => void changes.push(name);
  const sets = {
    epoch: 1,
    take: (_: unknown, byTask: boolean) => ({ ...plan, ...numbers, byTask }),
    look,
    claim: async () => undefined,
    mend: async () => undefined,
    wayIn: { takeNotes: () => [], hindrance: () => undefined },
    release: () => undefined,
    failureOf: async () => undefined,
    address: () => 'https://agents.example.com/d/app',
    create: noted('create'),
    retire: noted('retire'),
    move: async () => {
      changes.push('move');
      found.traffic = trafficTo(key);
    },
    stopTraffic: async () => {
      changes.push('stop traffic');
      found.traffic = [];
    },
    remove: async () => {
      changes.push('remove');
      found.sets = [];
      return 'done';
    },
    removeUnused: noted('remove what is unused'),
    removeAll: noted('remove all'),
  };
  const deployment = new ClusterDeployment({
    id: spec.deployment_id,
    // The sets of a cluster need one: these are what a step asks of them.
    sets: sets as never,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    startTimeoutSeconds: 60,
    changed: () => undefined,
    prepare: async () => undefined,
  });
  return { deployment, changes };
}

describe('what is wanted anew at any moment between a look and its step', () => {
  it('is not taken for what that look was about: a removal ends the traffic first', async () => {
    for (let at = 0; at < MICROTASKS; at++) {
      const removed = Promise.withResolvers<void>();
      const meanwhile = () => void deployment.remove(true).then(removed.resolve);
      const found: Found = { sets: [serving], traffic: trafficTo('old') };
      const { deployment, changes } = aDeployment(found, 'old', { number: 1, at, meanwhile });
      deployment.keepRunning(spec);
      await removed.promise;
      deployment.close();
      expect([at, changes]).toEqual([at, ['stop traffic', 'remove', 'remove all']]);
    }
  });

  it('keeps a task that has ended from moving the traffic', async () => {
    const late: number[] = [];
    for (let at = 0; at < MICROTASKS; at++) {
      const ended = new AbortController();
      const meanwhile = () => ended.abort(new TaskEnded('lost'));
      const before = { ...serving, revisionId: 'the one before' };
      const next = { ...serving, key: 'new', served: false };
      const found: Found = { sets: [before, next], traffic: trafficTo('old') };
      // The first look comes to the announcement, the second to the move.
      const { deployment, changes } = aDeployment(found, 'new', { number: 2, at, meanwhile });
      ended.signal.addEventListener('abort', () => changes.push('ended'));
      const nothing = () => undefined;
      const hooks = {
        signal: ended.signal,
        say: nothing,
        waitsFor: nothing,
        announceSwitch: async () => true,
      };
      await deployment.deploy(spec, hooks);
      await nextTurn();
      deployment.close();
      expect(changes).toContain('ended');
      if (changes.at(-1) === 'move') late.push(at);
    }
    // A change whose right was given has begun, a microtask before it is made.
    expect(late.length).toBeLessThanOrEqual(1);
  });
});
