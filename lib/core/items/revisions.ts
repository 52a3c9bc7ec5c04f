import { refuse } from '../../contract/errors.ts';
import type { DeploymentRef, RevisionRef } from '../../contract/refs.ts';
import type { RevisionStatus } from '../../contract/revision-status.ts';
import { type Stage, stageOf } from '../../domain/transitions.ts';
import { putNew } from '../../store/dynamodb/expressions.ts';
import { find, findBoth, queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { deploymentKey, revisionKey, revisionKeyOf, tokenKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { anyDeployment, anyRevision } from './any-version.ts';
import { type Deployment, type Revision, type TaskToken, taskToken } from './items.ts';

/** The revision of this id; undefined too when its number belongs to another id. */
export async function findRevision(table: Table, ref: RevisionRef): Promise<Revision | undefined> {
  const found = await find(table, revisionKeyOf(ref), anyRevision);
  return found?.id === ref.revisionId ? found : undefined;
}

export async function getRevisionItem(table: Table, ref: RevisionRef): Promise<Revision> {
  const found = await findRevision(table, ref);
  if (found === undefined) throw refuse('revision_not_found', { id: ref.revisionId });
  return found;
}

export const findRevisionByNumber = (
  table: Table,
  ref: DeploymentRef,
  number: number,
): Promise<Revision | undefined> =>
  find(table, revisionKey(ref.tenantId, ref.deploymentId, number), anyRevision);

/** A deployment and the revision of this number, in one request. */
export const findWithRevision = (
  table: Table,
  { tenantId, deploymentId }: DeploymentRef,
  number: number,
): Promise<[Deployment | undefined, Revision | undefined]> =>
  findBoth(
    table,
    [deploymentKey(tenantId, deploymentId), anyDeployment],
    [revisionKey(tenantId, deploymentId, number), anyRevision],
  );

/** The revisions with these numbers and those between, newest first. */
export function revisionsBetween(
  table: Table,
  ref: DeploymentRef,
  oldest: number,
  newest: number,
): AsyncGenerator<Revision> {
  const at = (number: number) => revisionKey(ref.tenantId, ref.deploymentId, number);
  return queryAll(table, anyRevision, {
    pk: at(oldest).pk,
    between: [at(oldest).sk, at(newest).sk],
    newestFirst: true,
  });
}

export const findToken = (table: Table, ref: DeploymentRef, number: number): Promise<TaskToken | undefined> =>
  find(table, tokenKey(ref.tenantId, ref.deploymentId, number), taskToken);

export const refOf = (item: Revision): RevisionRef => ({
  tenantId: item.tenant_id,
  deploymentId: item.deployment_id,
  revisionId: item.id,
});

/** Which attempt of its execution is at work. */
export const attemptOf = ({ attempt }: Pick<Revision, 'attempt'>): number => attempt ?? 1;

/**
 * The stage that a revision in progress is in. A build that is recorded as succeeded has left the deploy to
 * be done.
 */
export const stageNow = ({ status, outcome }: Revision): Stage =>
  outcome?.stage === 'build' ? 'deploy' : (stageOf(status) ?? 'deploy');

/** The transition table has no way from here to there: a late or repeated step. */
export class MoveRefused extends Error {
  constructor(from: RevisionStatus, to: RevisionStatus) {
    super(`no way from ${from} to ${to}`);
    this.name = 'MoveRefused';
  }
}

/** A new revision's own item. Demands that its number is free. */
export const putRevision = (item: Revision): Write =>
  putNew('revision', { ...revisionKeyOf(refOf(item)), ...item });

/** Its build waited in the builder's own queue for as long as that lets it, and this attempt has no other. */
export const isUnstarted = (revision: Revision): boolean =>
  revision.build_id === undefined &&
  revision.lost_build?.unstarted === true &&
  revision.lost_build.attempt === attemptOf(revision);

/** Whether the revision has a build that nothing has ended yet, as far as is known. */
export const hasBuild = ({ build_id: buildId, status, outcome }: Revision): boolean =>
  buildId !== undefined && stageOf(status) === 'build' && outcome?.stage !== 'build';
