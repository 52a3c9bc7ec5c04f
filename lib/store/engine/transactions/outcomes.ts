import type { Deaths } from '../../../domain/deaths.ts';
import { type Change, guard, same, type Test } from '../../dynamodb/expressions.ts';
import type { Write } from '../../dynamodb/transact.ts';
import type { Revision } from '../items.ts';
import type { Outcome } from '../outcome-shapes.ts';
import {
  attemptAsRead,
  move,
  notInterrupted,
  revise,
  sameOutcome,
  statusAsRead,
  withoutOutcome,
} from '../revision-moves.ts';
import { attemptOf, refOf } from '../revisions.ts';

/**
 * Records that a stage of a revision has failed. Demands that it has not moved on, got another outcome or
 * been interrupted since it was read.
 */
export const recordFailure = (revision: Revision, failure: Extract<Outcome, { result: 'failed' }>): Write =>
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
  | { kind: 'running'; buildId: string }
  | { kind: 'succeeded'; artifact: NonNullable<Revision['artifact']>; commitSha: string | undefined }
  | { kind: 'failed'; message: string }
  | { kind: 'lost'; buildId: string };

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

function changeBy(fact: BuildFact, revision: Revision): Change {
  switch (fact.kind) {
    case 'running':
      // The call that started it may have died before it could say so.
      return { set: { build_id: fact.buildId } };
    case 'succeeded': {
      const outcome: Outcome = { stage: 'build', result: 'succeeded' };
      return {
        set: { outcome, artifact: fact.artifact, 'revision_config.repo_commit_sha': fact.commitSha },
      };
    }
    case 'failed': {
      const outcome: Outcome = { stage: 'build', result: 'failed', message: fact.message };
      return { set: { outcome } };
    }
    case 'lost':
      return {
        set: {
          builds_lost: (revision.builds_lost ?? 0) + 1,
          lost_build: {
            id: fact.buildId,
            build_attempt: revision.build_attempt ?? attemptOf(revision),
            attempt: attemptOf(revision),
          },
        },
        // The reason of a stop too: that was of this build, and it may be the next one that is stopped.
        remove: ['build_id', 'build_attempt', 'build_due_at', 'build_absent_since', 'stop_reason'],
      };
  }
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
const buildTimeAnew = ({ build_id: buildId, restart: died }: Revision): 'build_due_at'[] =>
  buildId === undefined && died?.cause !== 'BuildsAtCapacity' ? ['build_due_at'] : [];

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
