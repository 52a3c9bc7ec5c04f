import type { ExecutionInput } from '../../../adapters/workflow.ts';
import type { DeploymentRef } from '../../../contract/refs.ts';
import { numberOf } from '../../../domain/revision-id.ts';
import {
  absent,
  any,
  atMost,
  equals,
  guard,
  put,
  remove,
  same,
} from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { tokenKey } from '../../../store/keys/index.ts';
import type { Revision, TaskToken } from '../../items/items.ts';
import { inFlightDue } from '../../items/looks.ts';
import type { Outcome } from '../../items/parts.ts';
import {
  move,
  notInterrupted,
  ownAttempt,
  revise,
  sameOutcome,
  withoutOutcome,
} from '../../items/revision-moves.ts';
import { refOf } from '../../items/revisions.ts';

// What the states of an execution write. Each demands that its attempt is the one at work, and that no
// interrupt is asked for.

/**
 * What a state is called with that waits for its token. `retry`: how often it has been tried again, 0 the
 * first time.
 */
export type TokenTask = ExecutionInput & { token: string; retry: number };

const tokenAt = ({ tenantId, deploymentId, revisionId }: ExecutionInput) =>
  tokenKey(tenantId, deploymentId, numberOf(revisionId));

/**
 * Keeps the newest token of a revision; tokens never leave the table. Demands that no later try of the same
 * state has kept its own: the workflow gives a try up that it does not hear of, and its function may still
 * run.
 */
function keepToken(
  { tenantId, attempt, token, retry, ...task }: TokenTask,
  stage: TaskToken['stage'],
): Write {
  const item: TaskToken = { v: 1, entity: 'token', tenant_id: tenantId, attempt, stage, retry, token };
  const otherStage = stage === 'build' ? 'deploy' : 'build';
  const noLaterTry = any(
    absent('token'),
    atMost('attempt', attempt - 1),
    equals('stage', otherStage),
    atMost('retry', retry),
  );
  const key = tokenAt({ tenantId, attempt, ...task });
  return put('token', { ...key, ...item }, guard('token: of no later try', noLaterTry));
}

/**
 * A token that was answered is of no more use. Demands that it is still this one: that of a retried step
 * stays.
 */
export const forgetToken = (
  { tenantId, deploymentId }: DeploymentRef,
  number: number,
  token: TaskToken,
): Write =>
  remove(
    'token',
    tokenKey(tenantId, deploymentId, number),
    guard('token: the one that was answered', equals('token', token.token)),
  );

/** What Prepare finds out of a revision; undefined: nothing of that kind. */
export type PreparedFacts = {
  outcome?: Outcome;
  artifact?: Revision['artifact'];
  commit?: string | undefined;
  words?: Revision['commit'];
  message?: string | undefined;
};

/**
 * Prepare takes a revision on, with what it found out. Demands that the revision's status is as read, that it
 * has no outcome, and that no later try has brought it to its build; repeated, it writes the same again.
 */
export function prepare(
  revision: Revision,
  to: Revision['status'],
  { outcome, artifact, commit, words, message }: PreparedFacts,
  { attempt, now }: { attempt: number; now: number },
): Write {
  const facts = {
    outcome,
    artifact,
    status_message: message,
    'revision_config.repo_commit_sha': commit,
    commit: words,
  };
  const set = { ...inFlightDue(refOf(revision), now), ...facts };
  return move(
    revision,
    to,
    now,
    { set },
    notInterrupted,
    withoutOutcome,
    guard('build: not begun since', same('build_due_at', revision.build_due_at)),
    ownAttempt(attempt),
  );
}

/**
 * What a wait for a builder has left, which is over once a build is known; another try may have noted it
 * meanwhile.
 */
const waitedOf = ({ at_capacity: hasWaited }: Revision): ('at_capacity' | 'status_message')[] =>
  hasWaited === true ? ['at_capacity', 'status_message'] : [];

/**
 * Build waits for the build to end, until `dueAt` (epoch milliseconds). Demands that the revision's status is
 * as read.
 */
export function awaitBuild(
  task: TokenTask,
  revision: Revision,
  { dueAt, now }: { dueAt: number; now: number },
): Write[] {
  const isFirst = revision.build_id === undefined && revision.build_attempt === undefined;
  return [
    move(
      revision,
      revision.status,
      now,
      {
        set: { build_due_at: dueAt, ...(isFirst ? { build_attempt: task.attempt } : {}) },
        remove: revision.build_id === undefined ? [] : waitedOf(revision),
      },
      notInterrupted,
      ownAttempt(task.attempt),
    ),
    keepToken(task, 'build'),
  ];
}

/**
 * Keeps the id of the build that was started. Demands that there is no outcome and no build, and that none
 * was lost since the read.
 */
export const keepBuildId = (task: TokenTask, buildId: string, revision: Revision): Write =>
  revise(
    task,
    { set: { build_id: buildId }, remove: waitedOf(revision) },
    ownAttempt(task.attempt),
    notInterrupted,
    withoutOutcome,
    guard('build: none is known', absent('build_id')),
    guard('build: none was lost since', same('builds_lost', revision.builds_lost)),
  );

/**
 * No build can start until the next try, and nothing waits for a token: a person sees why, and an interrupt
 * ends the revision directly.
 */
export const noteCapacity = (task: TokenTask, message: string): Write[] => [
  revise(
    task,
    { set: { at_capacity: true, status_message: message } },
    ownAttempt(task.attempt),
    notInterrupted,
  ),
  remove('token', tokenAt(task), guard('token: its own', equals('token', task.token))),
];

/**
 * Deploy waits for the listener. A revision that is being deployed already stays so. Demands that its status
 * and outcome are as read.
 */
export function awaitDeploy(task: TokenTask, revision: Revision, now: number): Write[] {
  const again = revision.status === 'DEPLOYING' || revision.status === 'UNKNOWN';
  return [
    move(
      revision,
      again ? revision.status : 'AWAITING_DEPLOY',
      now,
      revision.outcome?.stage === 'build' ? { remove: ['outcome'] } : {},
      notInterrupted,
      // It is over for one whose deploy has failed meanwhile, and a build's outcome is done with.
      sameOutcome(revision),
      ownAttempt(task.attempt),
    ),
    keepToken(task, 'deploy'),
  ];
}
