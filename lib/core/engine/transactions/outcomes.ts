import type { Deaths } from '../../../domain/deaths.ts';
import { type Change, guard, same, type Test } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import type { Revision } from '../../items/items.ts';
import type { Outcome } from '../../items/parts.ts';
import {
  attemptAsRead,
  move,
  notInterrupted,
  revise,
  sameOutcome,
  statusAsRead,
  withoutOutcome,
} from '../../items/revision-moves.ts';
import { attemptOf, isUnstarted, refOf } from '../../items/revisions.ts';

/**
 * Records that a stage of a revision has failed. Demands that it has not moved on, got another outcome or
 * been interrupted since it was read.
 */
export const recordFailureWrite = (
  revision: Revision,
  failure: Extract<Outcome, { result: 'failed' }>,
): Write =>
  revise(
    refOf(revision),
    { set: { outcome: failure } },
    statusAsRead(revision),
    attemptAsRead(revision),
    notInterrupted,
    // One that was started meanwhile would not be stopped.
    guard('build: as read', same('build_id', revision.build_id)),
    sameOutcome(revision),
  );

/**
 * Says why the build of a revision is being stopped: the build itself will say no more than that it was.
 * Demands that the build is as it was read, and has no outcome.
 */
export const noteStopReason = (revision: Revision, reason: string): Write =>
  revise(
    refOf(revision),
    { set: { stop_reason: reason } },
    guard('build: as read', same('build_id', revision.build_id)),
    withoutOutcome,
  );

/**
 * What a look at a build has told. A lost build is no fault of the source: the next attempt of the execution
 * builds again.
 */
export type BuildFact =
  | { kind: 'waiting'; buildId: string }
  | { kind: 'running'; buildId: string; dueAt: number }
  | { kind: 'succeeded'; artifact: NonNullable<Revision['artifact']>; commitSha: string | undefined }
  | { kind: 'failed'; message: string }
  | { kind: 'lost'; buildId: string }
  | { kind: 'unstarted'; buildId: string };

/**
 * Records a fact of the build that a revision waits for. Demands that status, build, the reason why it is
 * stopped and attempt are as read, that no outcome is recorded and no interrupt is asked for.
 */
export function recordBuildFact(revision: Revision, fact: BuildFact, now: number): Write {
  const isMade = fact.kind === 'running' || fact.kind === 'succeeded';
  return move(
    revision,
    isMade ? 'BUILDING' : revision.status,
    now,
    changeBy(fact, revision),
    withoutOutcome,
    notInterrupted,
    guard('build: as read', same('build_id', revision.build_id)),
    // Its state may have been read later than the revision, and then the stop is without its reason.
    guard('build: reason of its stop as read', same('stop_reason', revision.stop_reason)),
    attemptAsRead(revision),
  );
}

const WAITS_FOR_A_BUILDER = 'Waits for a builder: as many builds run as may at once.';

/** What a build that waited has said, once it waits no more. */
const waitOf = ({ build_phase: phase }: Revision): 'status_message'[] =>
  phase === 'waiting' ? ['status_message'] : [];

function changeBy(fact: BuildFact, revision: Revision): Change {
  switch (fact.kind) {
    case 'waiting':
      return {
        set: { build_id: fact.buildId, build_phase: 'waiting', status_message: WAITS_FOR_A_BUILDER },
      };
    case 'running':
      // The call that started it may have died before it could say so.
      return {
        set: { build_id: fact.buildId, build_phase: 'running', build_due_at: fact.dueAt },
        remove: waitOf(revision),
      };
    case 'succeeded': {
      const outcome: Outcome = { stage: 'build', result: 'succeeded' };
      return {
        set: { outcome, artifact: fact.artifact, 'revision_config.repo_commit_sha': fact.commitSha },
        remove: waitOf(revision),
      };
    }
    case 'failed': {
      const outcome: Outcome = { stage: 'build', result: 'failed', message: fact.message };
      return { set: { outcome } };
    }
    case 'lost':
      return withoutBuild(fact.buildId, revision, ['build_due_at']);
    case 'unstarted':
      // It goes on waiting, and the next one has no more time for that.
      return withoutBuild(fact.buildId, revision, [], { unstarted: true });
  }
}

/** What is of one build, and not of the one that follows it. */
const ONE_BUILD = ['build_id', 'build_attempt', 'build_phase', 'build_absent_since', 'stop_reason'] as const;

/** The next attempt builds again. `remove`: what else goes with the build. */
function withoutBuild(
  id: string,
  revision: Revision,
  remove: readonly 'build_due_at'[],
  how: { unstarted?: true } = {},
): Change {
  const { builds_lost: lost = 0, build_attempt: buildAttempt } = revision;
  const attempt = attemptOf(revision);
  return {
    set: {
      builds_lost: lost + 1,
      lost_build: { id, build_attempt: buildAttempt ?? attempt, attempt, ...how },
    },
    // The reason of a stop too: that was of this build, and it may be the next one that is stopped.
    remove: [...ONE_BUILD, ...waitOf(revision), ...remove],
  };
}

/** Nobody else has taken the revision up or ended it since it was read, nor asked for it to end. */
const untouched = (revision: Revision): Test[] => [
  statusAsRead(revision),
  attemptAsRead(revision),
  guard('attempt: death as read', same('restart.attempt', revision.restart?.attempt)),
  sameOutcome(revision),
  notInterrupted,
];

/**
 * Takes a revision up as its next attempt. Demands that nobody has touched it since it was read. `deaths`: a
 * death that is counted now.
 */
export const beginNextAttempt = (revision: Revision, deaths: Deaths | undefined): Write =>
  revise(
    refOf(revision),
    {
      set: { attempt: attemptOf(revision) + 1, deaths },
      remove: ['restart', 'execution_absent_since', 'at_capacity', ...buildTimeAnew(revision)],
    },
    ...untouched(revision),
  );

/**
 * A build that was not started has lost the time of a crash or an outage, but not the time in which all
 * builders were busy.
 */
const buildTimeAnew = (revision: Revision): 'build_due_at'[] => {
  const { build_id: buildId, restart: died } = revision;
  const waited = died?.cause === 'BuildsAtCapacity' || isUnstarted(revision);
  return buildId === undefined && !waited ? ['build_due_at'] : [];
};

/**
 * Notes that this attempt died without an outcome; dispatch starts the next. Demands that nobody has touched
 * it since it was read. `deaths`: those of its stage, this one included if it counts.
 */
export const noteDeath = (revision: Revision, cause: string, deaths: Deaths | undefined): Write =>
  revise(
    refOf(revision),
    { set: { restart: { attempt: attemptOf(revision), cause }, deaths } },
    ...untouched(revision),
  );

/**
 * Records the last death that a stage may have as its failure. Demands that nobody has touched the revision
 * or its build since it was read.
 */
export const recordLastDeath = (revision: Revision, deaths: Deaths, message: string): Write => {
  const outcome: Outcome = { stage: deaths.stage, result: 'failed', message };
  // One that was started meanwhile would not be stopped.
  const sameBuild = guard('build: as read', same('build_id', revision.build_id));
  return revise(refOf(revision), { set: { outcome, deaths } }, ...untouched(revision), sameBuild);
};
