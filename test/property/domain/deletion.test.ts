import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Action, decide } from '../../../lib/domain/decide.ts';
import type { DeletionState, Situation, SlotRevision, TaskFacts } from '../../../lib/domain/situation.ts';

/**
 * A deployment that is being deleted, its listener and its execution, as far as the rule can tell one from
 * another.
 */
type Model = {
  now: number;
  queued: number;
  slot: 'revision' | 'delete' | undefined;
  slotRevision: SlotRevision | undefined;
  executionLives: boolean;
  task: TaskFacts | undefined;
  deletion: DeletionState;
  gone: boolean;
};

const LEASE = 60_000;
/** More actions than this in a row undo each other: the engine gives up then. */
const STEPS_MAX = 25;

const situationOf = (m: Model): Situation => ({
  now: m.now,
  execution: m.slotRevision === undefined ? 'not_asked' : m.executionLives ? 'running' : 'failed',
  firstQueued: m.queued > 0 ? 1 : undefined,
  slot: m.slot && { kind: m.slot },
  slotRevision: m.slotRevision,
  deletion: m.deletion,
  task: m.task,
  listenerSeenAt: undefined,
  managed: undefined,
  limits: { unclaimedMilliseconds: 900_000, silentMilliseconds: 900_000, leaseMilliseconds: 60_000 },
});

/** The revision ends: its slot is free, and its task is withdrawn or to be stopped. */
function end(m: Model): void {
  m.slotRevision = undefined;
  m.slot = undefined;
  if (m.task?.ofSlotRevision !== true) return;
  if (m.task.state === 'offered') m.task = undefined;
  else m.task = { ...m.task, ofSlotRevision: false, state: 'cancelled' };
}

const offered = (kind: TaskFacts['kind'], now: number): TaskFacts => ({
  kind,
  ofSlotRevision: kind === 'DEPLOY',
  state: 'offered',
  offeredAt: now,
  leaseUntil: undefined,
  lastHeartbeatAt: undefined,
});

const failedDeploy = { stage: 'deploy', result: 'failed' } as const;

function perform(m: Model, action: Action): void {
  switch (action.do) {
    case 'end_queued':
      m.queued = 0;
      return;
    case 'take_slot_to_delete':
      expect(m.slot).toBeUndefined();
      m.slot = 'delete';
      return;
    case 'request_interrupt':
      m.slotRevision = m.slotRevision && { ...m.slotRevision, interruptRequested: true };
      return;
    case 'restart':
      m.executionLives = true;
      return;
    case 'interrupt':
    case 'answer_token':
    case 'end':
      return end(m);
    case 'mark_unknown':
      m.slotRevision = m.slotRevision && { ...m.slotRevision, status: 'UNKNOWN', switching: false };
      m.task = m.task && { ...m.task, state: 'offered' };
      return;
    case 'release_task':
      m.task = undefined;
      return;
    case 'cancel_task':
      m.task = m.task && { ...m.task, state: 'cancelled' };
      return;
    case 'fail_unclaimed':
    case 'fail_silent':
      m.slotRevision = m.slotRevision && { ...m.slotRevision, outcome: failedDeploy };
      return;
    case 'offer_deletion':
      // What a revision started is acknowledged as stopped, or its lease has run out.
      expect([m.slot, m.slotRevision, m.task]).toEqual(['delete', undefined, undefined]);
      m.task = offered('DELETE', m.now);
      return;
    case 'offer_deletion_again':
      m.task = m.task && { ...m.task, state: 'offered' };
      return;
    case 'purge':
      expect([m.slot, m.slotRevision, m.task]).toEqual(['delete', undefined, undefined]);
      m.gone = true;
      return;
    default:
      throw new Error(`${action.do} has no place in a deletion`);
  }
}

/** As dispatch and sweep do: until there is nothing to do. */
function reconcile(m: Model): void {
  for (let step = 0; step < STEPS_MAX; step++) {
    if (m.gone) return;
    const action = decide(situationOf(m));
    if (action.do === 'nothing') return;
    perform(m, action);
  }
  throw new Error('does not come to rest');
}

const claimedNow = ({ now }: Pick<Model, 'now'>, task: TaskFacts): TaskFacts => ({
  ...task,
  state: 'claimed',
  leaseUntil: now + LEASE,
  lastHeartbeatAt: now,
});

/** What happens outside. */
const moves = {
  claim(m: Model) {
    if (m.task?.state !== 'offered') return;
    if (m.task.kind === 'DEPLOY') {
      if (
        m.slotRevision === undefined ||
        m.slotRevision.interruptRequested ||
        m.slotRevision.outcome !== undefined
      )
        return;
      m.slotRevision = { ...m.slotRevision, status: 'DEPLOYING' };
    }
    m.task = claimedNow(m, m.task);
  },
  beat(m: Model) {
    if (m.task?.state === 'claimed') m.task = claimedNow(m, m.task);
  },
  announceSwitch(m: Model) {
    const { task, slotRevision } = m;
    const deploys = task?.kind === 'DEPLOY' && task.state === 'claimed' && task.ofSlotRevision;
    if (
      !deploys ||
      slotRevision === undefined ||
      slotRevision.interruptRequested ||
      slotRevision.outcome !== undefined
    )
      return;
    m.slotRevision = { ...slotRevision, switching: true };
  },
  complete(m: Model) {
    const { task, slotRevision } = m;
    if (task === undefined || task.state === 'offered') return;
    m.task = undefined;
    if (task.kind === 'DELETE') m.deletion = { ...m.deletion, tornDown: true };
    else if (task.state === 'claimed' && task.ofSlotRevision && slotRevision !== undefined)
      m.slotRevision = { ...slotRevision, outcome: { stage: 'deploy', result: 'succeeded' } };
  },
  cannotRemove(m: Model) {
    if (m.task?.kind !== 'DELETE' || m.task.state !== 'claimed') return;
    m.task = undefined;
    m.deletion = { ...m.deletion, retryAt: m.now + LEASE };
  },
  minute(m: Model) {
    m.now += LEASE + 1;
  },
  executionDies(m: Model) {
    m.executionLives = false;
  },
};
type Move = keyof typeof moves;

const aSlotRevision = (changes: Partial<SlotRevision>): SlotRevision => ({
  status: 'BUILDING',
  interruptRequested: true,
  outcome: undefined,
  waiting: 'build',
  build: undefined,
  buildDueAt: undefined,
  buildPhase: undefined,
  buildLost: false,
  atCapacity: false,
  restartMarked: false,
  executionAbsentSince: undefined,
  silenceFound: undefined,
  offered: false,
  switching: false,
  ...changes,
});
const deploying = { status: 'DEPLOYING', waiting: 'deploy', offered: true } as const;

/** What a deployment may be at when somebody asks for its deletion, just marked. */
const begun: Record<string, Partial<Model>> = {
  idle: {},
  building: { slot: 'revision', slotRevision: aSlotRevision({}) },
  deploying: {
    slot: 'revision',
    slotRevision: aSlotRevision(deploying),
    task: claimedNow({ now: 0 }, offered('DEPLOY', 0)),
  },
  switching: {
    slot: 'revision',
    slotRevision: aSlotRevision({ ...deploying, interruptRequested: false, switching: true }),
    task: claimedNow({ now: 0 }, offered('DEPLOY', 0)),
  },
  'building after a cancelled deploy': {
    slot: 'revision',
    slotRevision: aSlotRevision({}),
    task: { ...claimedNow({ now: 0 }, offered('DEPLOY', 0)), ofSlotRevision: false, state: 'cancelled' },
  },
};

type Parts = { from: Partial<Model>; queued: number; everOffered: boolean; happened: Move[] };

const parts: fc.Arbitrary<Parts> = fc.record({
  from: fc.constantFrom(...Object.values(begun)),
  queued: fc.constantFrom(0, 3),
  everOffered: fc.boolean(),
  happened: fc.array(fc.constantFrom(...(Object.keys(moves) as Move[])), { maxLength: 20 }),
});

/** A deletion after some of what may happen has happened, in any order. */
function after({ from, queued, everOffered, happened }: Parts): Model {
  const m: Model = {
    now: 0,
    queued,
    slot: undefined,
    slotRevision: undefined,
    executionLives: true,
    task: undefined,
    deletion: {
      forced: false,
      tornDown: false,
      everOffered: everOffered || from.task !== undefined,
      retryAt: undefined,
    },
    gone: false,
    ...from,
  };
  reconcile(m);
  for (const move of happened) {
    if (m.gone) break;
    moves[move](m);
    reconcile(m);
  }
  return m;
}

/** Enough for two leases, a retry and everything between. */
const ROUNDS = 12;

function goesOn(m: Model, answering: Move[]): boolean {
  for (let round = 0; round < ROUNDS && !m.gone; round++) {
    for (const move of answering) moves[move](m);
    reconcile(m);
  }
  return m.gone;
}

const check = (law: (m: Model) => void) =>
  fc.assert(
    fc.property(parts, (some) => law(after(some))),
    { numRuns: 3_000 },
  );

describe('a deletion', () => {
  it('comes to its end once its listener answers, whatever has happened before', () => {
    check((m) => {
      expect(goesOn(m, ['minute', 'claim', 'complete'])).toBe(true);
    });
  });

  it('comes to its end without its listener when it is forced', () => {
    check((m) => {
      m.deletion = { ...m.deletion, forced: true };
      reconcile(m);
      expect(goesOn(m, ['minute'])).toBe(true);
    });
  });

  it('waits for a listener that never answers, without end and without harm', () => {
    check((m) => {
      if (m.gone) return;
      const waits = m.deletion.everOffered && !m.deletion.tornDown;
      expect(goesOn(m, ['minute'])).toBe(!waits);
    });
  });
});
