import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revisionStatuses } from '../../../lib/contract/revision-status.ts';
import { decide, dependsOnWaiting, isAbsentForSure, isAtWork } from '../../../lib/domain/decide.ts';
import type { Situation } from '../../../lib/domain/situation.ts';
import { isTerminal, stageOf } from '../../../lib/domain/transitions.ts';

const NOW = 1_000_000;
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.constantFrom(0, NOW - 1, NOW, NOW + 1, NOW * 2);

const executions = ['running', 'succeeded', 'failed', 'timed_out', 'stopped', 'aborted', 'absent'] as const;

const slotRevision = fc.record({
  status: fc.constantFrom(...revisionStatuses),
  interruptRequested: fc.boolean(),
  outcome: optional(
    fc.constantFrom(
      { stage: 'create' as const, result: 'failed' as const },
      ...(['build', 'deploy'] as const).flatMap((stage) =>
        (['succeeded', 'failed'] as const).map((result) => ({ stage, result })),
      ),
    ),
  ),
  waiting: optional(fc.constantFrom('build', 'deploy')),
  build: optional(
    fc.record({
      state: fc.constantFrom('waiting', 'running', 'ended', 'absent', 'not_asked'),
      absentSince: optional(time),
    }),
  ),
  buildDueAt: optional(time),
  buildLost: fc.boolean(),
  atCapacity: fc.boolean(),
  restartMarked: fc.boolean(),
  executionAbsentSince: optional(time),
  offered: fc.boolean(),
  switching: fc.boolean(),
});

const deletion = fc.record({
  forced: fc.boolean(),
  tornDown: fc.boolean(),
  everOffered: fc.boolean(),
  retryAt: optional(time),
});

const task = fc.record({
  kind: fc.constant('DEPLOY' as const),
  ofSlotRevision: fc.boolean(),
  state: fc.constantFrom('offered', 'claimed', 'cancelled'),
  offeredAt: time,
  leaseUntil: optional(time),
  lastHeartbeatAt: optional(time),
});

const situation: fc.Arbitrary<Situation> = fc
  .record({
    execution: fc.constantFrom(...executions, 'not_asked' as const),
    firstQueued: optional(fc.integer({ min: 1, max: 9 })),
    slotRevision: optional(slotRevision),
    task: optional(task),
    deletion: fc.constant(undefined),
    listenerSeenAt: fc.oneof(optional(time), fc.constant('not_asked' as const)),
  })
  .map((parts) => ({
    ...parts,
    now: NOW,
    slot: parts.slotRevision === undefined ? undefined : { kind: 'revision' as const },
    limits: { unclaimedMilliseconds: 900_000, silentMilliseconds: 900_000, leaseMilliseconds: 60_000 },
  }));

/** The same while the deployment is being deleted: the slot may be the deletion's, and the task one to remove what runs. */
const deleting: fc.Arbitrary<Situation> = fc
  .tuple(situation, deletion, fc.boolean(), fc.boolean())
  .map(([s, facts, hasSlot, hasTask]) =>
    hasSlot
      ? {
          ...s,
          deletion: facts,
          slot: { kind: 'delete' as const },
          slotRevision: undefined,
          task: s.task && {
            ...s.task,
            ofSlotRevision: false,
            kind: hasTask ? ('DELETE' as const) : s.task.kind,
          },
        }
      : // Only what its listener deploys is switching.
        {
          ...s,
          deletion: facts,
          slotRevision: s.slotRevision && {
            ...s.slotRevision,
            switching: s.slotRevision.switching && s.slotRevision.status === 'DEPLOYING',
          },
        },
  );

const assertDeleting = (law: (s: Situation) => void) =>
  fc.assert(fc.property(deleting, law), { numRuns: 5_000 });
const check = (law: (s: Situation) => void) => fc.assert(fc.property(situation, law), { numRuns: 2_000 });

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
    check((s) => {
      if (s.slot !== undefined) expect(decide(s).do).not.toBe('take_slot');
    });
  });

  it('takes the oldest queued revision as soon as the slot is free and no task needs anything', () => {
    check((s) => {
      if (s.slot === undefined && s.task === undefined && s.firstQueued !== undefined) {
        expect(decide(s)).toEqual({ do: 'take_slot', number: s.firstQueued });
      }
    });
  });

  it('offers no task while another is open', () => {
    check((s) => {
      if (s.task !== undefined) expect(decide(s).do).not.toBe('offer_task');
    });
  });

  it('never starts or offers anything for a revision that is to be interrupted', () => {
    check((s) => {
      if (s.slotRevision?.interruptRequested === true && s.slotRevision.outcome?.stage !== 'deploy') {
        expect(['start_execution', 'offer_task', 'answer_token']).not.toContain(decide(s).do);
      }
    });
  });

  it('lets nothing without an outcome or an interrupt fail because its execution died', () => {
    check((s) => {
      const { slotRevision: found } = s;
      if (found === undefined || isTerminal(found.status) || s.execution === 'aborted') return;
      const isDecided = found.outcome !== undefined || found.interruptRequested;
      if (!isDecided) expect(decide(s).do).not.toBe('end');
    });
  });

  it('never restarts what is to be interrupted or has an outcome that ends it', () => {
    check((s) => {
      if (decide(s).do !== 'restart') return;
      expect(s.slotRevision?.interruptRequested).toBe(false);
      const { outcome } = s.slotRevision ?? {};
      if (outcome !== undefined) expect(outcome).toEqual({ stage: 'build', result: 'succeeded' });
    });
  });

  it('leaves nothing alone whose execution is known to be gone, unless its build may have ended and nobody can say yet', () => {
    check((s) => {
      if (!isGone(s) || s.slotRevision === undefined || waitsForBuilder(s)) return;
      expect(decide(s).do).not.toBe('nothing');
    });
  });

  it('waits for what a builder says of a build only until the build is overdue', () => {
    const overdue = situation.map((s) => ({
      ...s,
      execution: 'timed_out' as const,
      slotRevision: s.slotRevision && { ...s.slotRevision, buildDueAt: NOW - 10 * 60_000 },
    }));
    const property = fc.property(overdue, (s) => {
      if (s.slotRevision !== undefined) expect(decide(s).do).not.toBe('nothing');
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('ends a revision only when it is terminal already, nothing waits, or its execution is known to be gone', () => {
    check((s) => {
      if (decide(s).do !== 'end') return;
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
      const dispatched = { ...s, execution: 'not_asked' as const };
      const found = decide({ ...dispatched, slotRevision: after });
      expect(found).toEqual(decide({ ...dispatched, slotRevision: before }));
      if (s.task === undefined && s.deletion === undefined) expect(found).toEqual({ do: 'nothing' });
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  it('asks which state waits only where it may matter', () => {
    const all = fc.oneof(situation, deleting);
    const property = fc.property(all, ({ slotRevision: found, ...s }) => {
      if (found === undefined || dependsOnWaiting(found)) return;
      expect(decide({ ...s, slotRevision: { ...found, waiting: undefined } })).toEqual(
        decide({ ...s, slotRevision: found }),
      );
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it('judges silence only by what has run out', () => {
    check((s) => {
      if (decide(s).do === 'mark_unknown') expect(s.task?.leaseUntil ?? Infinity).toBeLessThanOrEqual(s.now);
      if (decide(s).do === 'fail_silent') {
        expect((s.task?.lastHeartbeatAt ?? Infinity) + s.limits.silentMilliseconds).toBeLessThanOrEqual(
          s.now,
        );
      }
    });
  });
});

describe('the rule of the engine for a deployment that is being deleted', () => {
  it('begins nothing: no revision gets the slot, is started or offered', () => {
    assertDeleting((s) => {
      expect(['take_slot', 'start_execution', 'offer_task']).not.toContain(decide(s).do);
    });
  });

  it('takes the slot only when no revision has it and none is queued', () => {
    assertDeleting((s) => {
      if (decide(s).do !== 'take_slot_to_delete') return;
      expect(s.slot).toBeUndefined();
      expect(s.firstQueued).toBeUndefined();
    });
  });

  it('asks the listener, and removes the records, only while it has the slot and no task is open', () => {
    assertDeleting((s) => {
      if (!['offer_deletion', 'purge'].includes(decide(s).do)) return;
      expect(s.slot?.kind).toBe('delete');
      expect(s.task).toBeUndefined();
    });
  });

  it('removes the records only when nothing runs, or a person does not want to know', () => {
    assertDeleting((s) => {
      if (decide(s).do !== 'purge') return;
      const { forced, tornDown, everOffered } = s.deletion ?? {};
      expect(forced || tornDown || !everOffered).toBe(true);
    });
  });

  it('waits for nobody when it is forced', () => {
    assertDeleting((s) => {
      if (s.slot?.kind === 'delete' && s.deletion?.forced) expect(decide(s).do).not.toBe('nothing');
    });
  });

  it('interrupts whatever can still be interrupted, once', () => {
    assertDeleting((s) => {
      if (decide(s).do === 'request_interrupt') {
        expect(s.slotRevision).toMatchObject({ interruptRequested: false, switching: false });
        expect(isTerminal(s.slotRevision?.status ?? 'DEPLOYED')).toBe(false);
      }
    });
  });
});
