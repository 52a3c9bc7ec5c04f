import fc from 'fast-check';
import { expect } from 'vitest';
import { revisionStatuses } from '../../../lib/contract/revision-status.ts';
import type { Situation } from '../../../lib/domain/situation.ts';

export const NOW = 1_000_000;
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.constantFrom(0, NOW - 1, NOW, NOW + 1, NOW * 2);

const executions = ['running', 'succeeded', 'failed', 'timed_out', 'stopped', 'aborted', 'absent'] as const;

export const slotRevision = fc.record({
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
  buildPhase: optional(fc.constantFrom('waiting', 'running')),
  buildLost: fc.boolean(),
  atCapacity: fc.boolean(),
  restartMarked: fc.boolean(),
  executionAbsentSince: optional(time),
  silenceFound: optional(
    fc.record({
      at: fc.constantFrom(NOW - 120_001, NOW - 60_000, NOW - 1),
      looks: fc.constantFrom(1, 2),
    }),
  ),
  offered: fc.boolean(),
  switching: fc.boolean(),
});

const deletion = fc.record({
  forced: fc.boolean(),
  tornDown: fc.boolean(),
  everOffered: fc.boolean(),
  retryAt: optional(time),
});

export const task = fc.record({
  kind: fc.constant('DEPLOY' as const),
  ofSlotRevision: fc.boolean(),
  state: fc.constantFrom('offered', 'claimed', 'cancelled'),
  offeredAt: time,
  leaseUntil: optional(time),
  lastHeartbeatAt: optional(time),
});

export const situation: fc.Arbitrary<Situation> = fc
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
    managed: undefined,
    slot: parts.slotRevision === undefined ? undefined : { kind: 'revision' as const },
    limits: { unclaimedMilliseconds: 900_000, silentMilliseconds: 900_000, leaseMilliseconds: 60_000 },
  }));

/**
 * The same while the deployment is being deleted: the slot may be the deletion's, and the task one to remove
 * what runs.
 */
export const deleting: fc.Arbitrary<Situation> = fc
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

type Law = (applies: (s: Situation) => boolean, holds: (s: Situation) => void) => void;

/** Laws of such situations. One that applies to hardly any of them would hold of anything. */
export const lawsOf =
  (situations: fc.Arbitrary<Situation>, numRuns: number): Law =>
  (applies, holds) => {
    let met = 0;
    const property = fc.property(situations, (s) => {
      if (!applies(s)) return;
      met += 1;
      holds(s);
    });
    fc.assert(property, { numRuns });
    expect(met).toBeGreaterThan(0);
  };
