import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAbsentForSure, isSilentForSure } from '../../../lib/domain/confirmed.ts';
import { decide, dependsOnWaiting, isAtWork } from '../../../lib/domain/decide.ts';
import type { Situation } from '../../../lib/domain/situation.ts';
import { isTerminal, stageOf } from '../../../lib/domain/transitions.ts';
import { deleting, lawsOf, NOW, situation, slotRevision, task } from './situations.ts';

const check = lawsOf(situation, 2_000);
const checkDeleting = lawsOf(deleting, 5_000);
const always = () => true;
const does =
  (...actions: ReturnType<typeof decide>['do'][]) =>
  (s: Situation) =>
    actions.includes(decide(s).do);

/** Nobody goes on with the revision in the slot, and that is believed. */
function isGone({ execution, slotRevision: found, now }: Situation): boolean {
  if (found?.restartMarked === true) return true;
  if (execution === 'absent') return isAbsentForSure(found?.executionAbsentSince, now);
  return execution !== 'running' && execution !== 'not_asked';
}

/** The builder could not be asked, or was asked only once, about the build of an execution that is gone. */
function waitsForBuilder({ slotRevision: found }: Situation): boolean {
  if (found === undefined || found.restartMarked || found.outcome !== undefined) return false;
  const isUndecided = stageOf(found.status) === 'build' && !found.interruptRequested;
  return isUndecided && (found.build?.state === 'not_asked' || found.build?.state === 'absent');
}

describe('the rule of the engine', () => {
  it('never gives the slot away while a revision holds it', () => {
    check(
      (s) => s.slot !== undefined,
      (s) => expect(decide(s).do).not.toBe('take_slot'),
    );
  });

  it('takes the oldest queued revision as soon as the slot is free and no task needs anything', () => {
    check(
      (s) => s.slot === undefined && s.task === undefined && s.firstQueued !== undefined,
      (s) => expect(decide(s)).toEqual({ do: 'take_slot', number: s.firstQueued }),
    );
  });

  it('offers no task while another is open', () => {
    const ready = fc.tuple(situation, slotRevision).map(([s, one]) => ({
      ...s,
      execution: 'running' as const,
      slot: { kind: 'revision' as const },
      slotRevision: {
        ...one,
        ...({ status: 'AWAITING_DEPLOY', waiting: 'deploy', outcome: undefined } as const),
        ...{ interruptRequested: false, offered: false, restartMarked: false },
      },
    }));
    lawsOf(ready, 2_000)(always, (s) => expect(decide(s).do === 'offer_task').toBe(s.task === undefined));
  });

  it('never starts or offers anything for a revision that is to be interrupted', () => {
    check(
      ({ slotRevision: found }) => found?.interruptRequested === true && found.outcome?.stage !== 'deploy',
      (s) => expect(['start_execution', 'offer_task', 'answer_token']).not.toContain(decide(s).do),
    );
  });

  it('lets nothing without an outcome or an interrupt fail because its execution died', () => {
    check(
      ({ slotRevision: found, execution }) =>
        found !== undefined &&
        !isTerminal(found.status) &&
        execution !== 'aborted' &&
        found.outcome === undefined &&
        !found.interruptRequested,
      (s) => expect(decide(s).do).not.toBe('end'),
    );
  });

  it('never restarts what is to be interrupted or has an outcome that ends it', () => {
    check(does('restart'), (s) => {
      expect(s.slotRevision?.interruptRequested).toBe(false);
      const { outcome } = s.slotRevision ?? {};
      if (outcome !== undefined) expect(outcome).toEqual({ stage: 'build', result: 'succeeded' });
    });
  });

  it('leaves nothing alone whose execution is known to be gone, unless its build may have ended and nobody can say yet', () => {
    check(
      (s) => isGone(s) && s.slotRevision !== undefined && !waitsForBuilder(s),
      (s) => expect(decide(s).do).not.toBe('nothing'),
    );
  });

  it('waits for what a builder says of a build only until the build is overdue', () => {
    const overdue = situation.map((s) => ({
      ...s,
      execution: 'timed_out' as const,
      slotRevision: s.slotRevision && { ...s.slotRevision, buildDueAt: NOW - 10 * 60_000 },
    }));
    lawsOf(overdue, 2_000)(
      (s) => s.slotRevision !== undefined,
      (s) => expect(decide(s).do).not.toBe('nothing'),
    );
  });

  it('ends a revision only when it is terminal already, nothing waits, or its execution is known to be gone', () => {
    check(does('end'), (s) => {
      const isOver = isTerminal(s.slotRevision?.status ?? 'DEPLOYED') || s.slotRevision?.atCapacity === true;
      expect(isGone(s) || isOver).toBe(true);
    });
  });

  it('finds nothing to do in what steps write while a builder or a listener has the revision in hand', () => {
    const atWork = slotRevision
      .map((one) => ({ ...one, interruptRequested: false, outcome: undefined, switching: false }))
      .filter(({ status }) => isAtWork(status))
      .map((one) => ({
        ...one,
        build: one.build && { state: 'not_asked' as const, absentSince: undefined },
        buildDueAt: NOW + 1,
        buildLost: false,
        restartMarked: false,
      }));
    const all = fc.oneof(situation, deleting).filter(({ slot }) => slot?.kind === 'revision');
    const property = fc.property(all, atWork, atWork, (s, before, after) => {
      const dispatched = { ...s, execution: 'not_asked', listenerSeenAt: 'not_asked' } as const;
      const found = decide({ ...dispatched, slotRevision: after });
      expect(found).toEqual(decide({ ...dispatched, slotRevision: before }));
      if (s.task === undefined && s.deletion === undefined) expect(found).toEqual({ do: 'nothing' });
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it('asks which state waits only where it may matter', () => {
    const all = fc.oneof(situation, deleting);
    lawsOf(all, 2_000)(
      ({ slotRevision: found }) => found !== undefined && !dependsOnWaiting(found),
      ({ slotRevision: found, ...s }) => {
        const other = found && { ...found, waiting: undefined };
        expect(decide({ ...s, slotRevision: other })).toEqual(decide({ ...s, slotRevision: found }));
      },
    );
  });

  it('judges silence only by what has run out', () => {
    check(does('mark_unknown'), (s) => expect(s.task?.leaseUntil ?? Infinity).toBeLessThanOrEqual(s.now));
    // A heartbeat at the beginning of time has run out by now.
    const silent = fc.tuple(situation, slotRevision, task).map(([s, one, open]) => ({
      ...s,
      now: s.now + s.limits.silentMilliseconds,
      execution: 'running' as const,
      slot: { kind: 'revision' as const },
      slotRevision: {
        ...one,
        ...{ interruptRequested: false, outcome: undefined },
        silenceFound: one.silenceFound && {
          ...one.silenceFound,
          at: one.silenceFound.at + s.limits.silentMilliseconds,
        },
      },
      task: { ...open, ofSlotRevision: true, state: 'offered' as const },
    }));
    lawsOf(silent, 5_000)(does('fail_silent', 'fail_unclaimed'), (s) => {
      expect(isSilentForSure(s.slotRevision?.silenceFound, s.now)).toBe(true);
    });
    lawsOf(silent, 5_000)(does('fail_silent'), (s) => {
      const silentFrom = (s.task?.lastHeartbeatAt ?? Infinity) + s.limits.silentMilliseconds;
      expect(silentFrom).toBeLessThanOrEqual(s.now);
    });
  });
});

describe('the rule of the engine for a deployment that is being deleted', () => {
  it('begins nothing: no revision gets the slot, is started or offered', () => {
    checkDeleting(always, (s) => expect(['take_slot', 'offer_task']).not.toContain(decide(s).do));
    // One that may move traffic is not interrupted: it ends as its listener says, which takes an execution.
    checkDeleting(
      (s) => s.slotRevision?.switching !== true,
      (s) => expect(decide(s).do).not.toBe('start_execution'),
    );
  });

  it('starts the execution of one that may move traffic anew once it surely has none', () => {
    const moving = {
      status: 'DEPLOYING',
      switching: true,
      interruptRequested: false,
      restartMarked: false,
      silenceFound: undefined,
    } as const;
    const rest = { outcome: undefined, waiting: undefined, build: undefined, buildDueAt: undefined };
    const none = { buildPhase: undefined, buildLost: false, atCapacity: false, offered: true };
    const at = (executionAbsentSince: number | undefined) =>
      decide({
        now: NOW,
        execution: 'absent',
        firstQueued: undefined,
        slot: { kind: 'revision' },
        slotRevision: { ...moving, ...rest, ...none, executionAbsentSince },
        task: undefined,
        deletion: { forced: false, tornDown: false, everOffered: true, retryAt: undefined },
        listenerSeenAt: 'not_asked',
        managed: undefined,
        limits: { unclaimedMilliseconds: 900_000, silentMilliseconds: 900_000, leaseMilliseconds: 60_000 },
      }).do;
    expect([at(undefined), at(NOW), at(NOW - 55_000)]).toEqual(['nothing', 'nothing', 'start_execution']);
  });

  it('takes the slot only when no revision has it and none is queued', () => {
    checkDeleting(does('take_slot_to_delete'), (s) => {
      expect(s.slot).toBeUndefined();
      expect(s.firstQueued).toBeUndefined();
    });
  });

  it('asks the listener, and removes the records, only while it has the slot and no task is open', () => {
    checkDeleting(does('offer_deletion', 'purge'), (s) => {
      expect(s.slot?.kind).toBe('delete');
      expect(s.task).toBeUndefined();
    });
  });

  it('removes the records only when nothing runs, or a person does not want to know', () => {
    checkDeleting(does('purge'), ({ deletion: facts }) => {
      const { forced, tornDown, everOffered } = facts ?? {};
      expect(forced || tornDown || !everOffered).toBe(true);
    });
  });

  it('waits for nobody when it is forced', () => {
    checkDeleting(
      (s) => s.slot?.kind === 'delete' && s.deletion?.forced === true,
      (s) => expect(decide(s).do).not.toBe('nothing'),
    );
  });

  /** It has not ended, is not about to, and nobody has asked for it before. */
  const canBeInterrupted = ({ slotRevision: found }: Situation): boolean =>
    found !== undefined &&
    !isTerminal(found.status) &&
    !found.interruptRequested &&
    !found.switching &&
    found.outcome?.stage !== 'deploy';

  it('interrupts whatever can still be interrupted, and nothing else', () => {
    checkDeleting(
      (s) => s.slot?.kind === 'revision' && s.firstQueued === undefined && s.task === undefined,
      (s) => expect(decide(s).do === 'request_interrupt').toBe(canBeInterrupted(s)),
    );
    checkDeleting(does('request_interrupt'), (s) => expect(canBeInterrupted(s)).toBe(true));
  });
});
