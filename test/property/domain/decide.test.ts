import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revisionStatuses } from '../../../lib/contract/revision-status.ts';
import { decide, type Situation } from '../../../lib/domain/decide.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';

const NOW = 1_000_000;
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.constantFrom(0, NOW - 1, NOW, NOW + 1, NOW * 2);

const holder = fc.record({
  status: fc.constantFrom(...revisionStatuses),
  interruptRequested: fc.boolean(),
  outcome: optional(
    fc.record({
      stage: fc.constantFrom('create', 'build', 'deploy'),
      result: fc.constantFrom('succeeded', 'failed'),
    }),
  ),
  waiting: optional(fc.constantFrom('build', 'deploy')),
  build: optional(
    fc.record({
      state: fc.constantFrom('waiting', 'running', 'ended', 'absent', 'not_asked'),
      dueAt: time,
    }),
  ),
  offered: fc.boolean(),
});

const task = fc.record({
  ofHolder: fc.boolean(),
  state: fc.constantFrom('offered', 'claimed', 'cancelled'),
  offeredAt: time,
  leaseUntil: optional(time),
  lastHeartbeatAt: optional(time),
});

const situation: fc.Arbitrary<Situation> = fc
  .record({
    execution: fc.constantFrom('running', 'closed', 'absent', 'not_asked'),
    firstQueued: optional(fc.integer({ min: 1, max: 9 })),
    holder: optional(holder),
    task: optional(task),
  })
  .map((parts) => ({
    ...parts,
    now: NOW,
    slot: parts.holder === undefined ? undefined : { attempt: 1 },
    limits: { unclaimedMilliseconds: 900_000, silentMilliseconds: 900_000 },
  }));

const check = (law: (s: Situation) => void) => fc.assert(fc.property(situation, law), { numRuns: 2_000 });

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
      if (s.holder?.interruptRequested === true && s.holder.outcome?.stage !== 'deploy') {
        expect(['start_execution', 'offer_task', 'answer_token']).not.toContain(decide(s).do);
      }
    });
  });

  it('leaves nothing alone whose execution is known to be gone', () => {
    check((s) => {
      const gone = s.execution === 'closed' || s.execution === 'absent';
      if (gone && s.holder !== undefined) expect(decide(s).do).not.toBe('nothing');
    });
  });

  it('ends a revision only when it is terminal already or its execution is known to be gone', () => {
    check((s) => {
      if (decide(s).do !== 'end') return;
      const gone = s.execution === 'closed' || s.execution === 'absent';
      expect(gone || isTerminal(s.holder?.status ?? 'DEPLOYED')).toBe(true);
    });
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
