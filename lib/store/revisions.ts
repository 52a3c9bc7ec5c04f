import type { RevisionRef } from '../adapters/workflow.ts';
import { refuse } from '../contract/errors.ts';
import { type RevisionStatus, revisionStatuses } from '../contract/revision-status.ts';
import { isTerminal, pathBetween } from '../domain/transitions.ts';
import { deploymentOfAnyVersion } from './deployments.ts';
import { absent, type Change, equals, guard, oneOf, update } from './expressions.ts';
import { type Deployment, type Revision, revision, type TaskToken, taskToken } from './items.ts';
import { deploymentKey, due, revisionKey, revisionKeyOf, tokenKey } from './keys.ts';
import { find, findBoth, queryAll, type Write } from './operations.ts';
import type { Table } from './table.ts';
import { alsoFirstVersion } from './upgrade.ts';

/** Revisions of the first version also said whether the client had named the path of its configuration. */
export const revisionOfAnyVersion = alsoFirstVersion(revision);

/** The revision of this id; undefined too when its number belongs to another id. */
export async function findRevision(table: Table, ref: RevisionRef): Promise<Revision | undefined> {
  const found = await find(table, revisionKeyOf(ref), revisionOfAnyVersion);
  return found?.id === ref.revisionId ? found : undefined;
}

export async function getRevisionItem(table: Table, ref: RevisionRef): Promise<Revision> {
  const found = await findRevision(table, ref);
  if (found === undefined) throw refuse('revision_not_found', { id: ref.revisionId });
  return found;
}

export const findRevisionByNumber = (
  table: Table,
  owner: { tenantId: string; deploymentId: string },
  number: number,
): Promise<Revision | undefined> =>
  find(table, revisionKey(owner.tenantId, owner.deploymentId, number), revisionOfAnyVersion);

/** A deployment and the revision of this number, in one request. */
export const findWithRevision = (
  table: Table,
  { tenantId, deploymentId }: { tenantId: string; deploymentId: string },
  number: number,
): Promise<[Deployment | undefined, Revision | undefined]> =>
  findBoth(
    table,
    [deploymentKey(tenantId, deploymentId), deploymentOfAnyVersion],
    [revisionKey(tenantId, deploymentId, number), revisionOfAnyVersion],
  );

/** The revisions with these numbers and those between, newest first. */
export function revisionsBetween(
  table: Table,
  owner: { tenantId: string; deploymentId: string },
  oldest: number,
  newest: number,
): AsyncGenerator<Revision> {
  const at = (number: number) => revisionKey(owner.tenantId, owner.deploymentId, number);
  return queryAll(table, revisionOfAnyVersion, {
    pk: at(oldest).pk,
    between: [at(oldest).sk, at(newest).sk],
    newestFirst: true,
  });
}

export const findToken = (
  table: Table,
  owner: { tenantId: string; deploymentId: string },
  number: number,
): Promise<TaskToken | undefined> =>
  find(table, tokenKey(owner.tenantId, owner.deploymentId, number), taskToken);

export const refOf = (item: Revision): RevisionRef => ({
  tenantId: item.tenant_id,
  deploymentId: item.deployment_id,
  revisionId: item.id,
});

/** How often sweep looks at a revision in flight: longer than any healthy step, short enough that a dead one is found soon. */
export const IN_FLIGHT_LOOK_MILLISECONDS = 60_000;

export const inFlightDue = (item: { pk: string }, now: number): { due_pk: string; due_at: number } =>
  due(item.pk, now + IN_FLIGHT_LOOK_MILLISECONDS);

/** Later than any stream that is merely behind: what has not been told of by then is told by sweep. */
const ENDED_LOOK_MILLISECONDS = 60 * 60_000;

/** When sweep looks at a revision that has ended and has nothing at work. */
export const endedDue = (item: { pk: string }, now: number): { due_pk: string; due_at: number } =>
  due(item.pk, now + ENDED_LOOK_MILLISECONDS);

/** A revision that has ended is looked at no more. */
export const forgetDue = (item: Revision): Write =>
  update(
    'revision',
    revisionKeyOf(refOf(item)),
    { remove: ['due_pk', 'due_at', 'build_absent_since'] },
    guard('identity: the same revision', equals('id', item.id)),
    guard('transition: status as read', equals('status', item.status)),
  );

/** A revision that has ended is looked at once more: its build may still run, or is not known (yet). */
export const lookAgain = (item: Revision, isAbsent: boolean, now: number): Write => {
  const key = revisionKeyOf(refOf(item));
  const change = { set: { ...inFlightDue(key, now), ...(isAbsent && { build_absent_since: now }) } };
  return update(
    'revision',
    key,
    change,
    guard('identity: the same revision', equals('id', item.id)),
    guard('transition: status as read', equals('status', item.status)),
  );
};

/** The same outcome as was read, or still none. */
export const sameOutcome = ({ outcome }: Pick<Revision, 'outcome'>): Parameters<typeof update>[3] =>
  guard(
    'outcome: as read',
    outcome === undefined ? absent('outcome') : equals('outcome.stage', outcome.stage),
  );

/** The transition table has no way from here to there: a late or repeated step. */
export class MoveRefused extends Error {
  constructor(from: RevisionStatus, to: RevisionStatus) {
    super(`no way from ${from} to ${to}`);
    this.name = 'MoveRefused';
  }
}

/** Why a revision was UNKNOWN, or what was said of it under way, says nothing of what it is next, which may have no reason of its own. */
function outdatedMessage(
  item: Revision,
  set: { status: RevisionStatus; status_message?: unknown },
): string[] {
  const isOutdated = item.status !== set.status && (item.status === 'UNKNOWN' || isTerminal(set.status));
  const hasOwn = set.status_message !== undefined || item.status_message === undefined;
  return isOutdated && !hasOwn ? ['status_message'] : [];
}

const OPEN_STATUSES = revisionStatuses.filter((status) => !isTerminal(status));

/**
 * The write that changes a revision without moving it. Made only while it has not ended: whatever comes late changes nothing of a terminal
 * revision. Every write of a revision is this one or `move`, but for its creation, its removal, and when sweep looks at an ended one.
 */
export const revise = (ref: RevisionRef, change: Change, ...when: Parameters<typeof update>[3][]): Write =>
  update(
    'revision',
    revisionKeyOf(ref),
    change,
    guard('identity: the same revision', equals('id', ref.revisionId)),
    guard('transition: not ended', oneOf('status', OPEN_STATUSES)),
    ...when,
  );

/**
 * The write that moves a revision as it was read to another status, through those between, each with its time in the history. Made only
 * when its status is still what was read. Throws MoveRefused when the table has no way, as from every terminal status.
 */
export function move(
  item: Revision,
  to: RevisionStatus,
  now: number,
  change: Change = {},
  ...when: Parameters<typeof update>[3][]
): Write {
  const stays = item.status === to && !isTerminal(to);
  const statuses = stays ? [] : pathBetween(item.status, to);
  if (statuses === undefined) throw new MoveRefused(item.status, to);
  const at = new Date(now).toISOString();
  const set = { ...change.set, status: to, updated_at: at };
  return update(
    'revision',
    revisionKeyOf(refOf(item)),
    {
      ...change,
      set,
      remove: [...new Set([...(change.remove ?? []), ...outdatedMessage(item, set)])],
      append: { ...change.append, history: statuses.map((status) => ({ status, at })) },
    },
    guard('transition: status as read', equals('status', item.status)),
    guard('identity: the same revision', equals('id', item.id)),
    ...when,
  );
}
