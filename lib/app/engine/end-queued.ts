import { equals, update } from '../../store/expressions.ts';
import { type Deployment, type Revision, revision } from '../../store/items.ts';
import { deploymentKey, revisionKey } from '../../store/keys.ts';
import { queryAll, transact, type Write } from '../../store/operations.ts';
import { move } from '../../store/revisions.ts';
import type { Table } from '../../store/table.ts';
import type { Deps } from '../deps.ts';

/** A transaction holds a hundred writes; the rest is for what goes with the revisions. */
const REVISIONS_A_TRANSACTION = 90;

/** The first revisions in a deployment's queue, as many as end in one transaction. */
export async function firstQueued(table: Table, deployment: Deployment): Promise<Revision[]> {
  const numbers = deployment.queued.slice(0, REVISIONS_A_TRANSACTION);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return [];
  const at = (number: number) => revisionKey(deployment.tenant_id, deployment.id, number);
  const found: Revision[] = [];
  for await (const item of queryAll(table, revision, { pk: at(0).pk, between: [at(first).sk, at(last).sk] }))
    if (numbers.includes(item.number) && item.status === 'QUEUED') found.push(item);
  return found;
}

/** The queue without those. */
export const restOfQueue = ({ queued }: Deployment): number[] => queued.slice(REVISIONS_A_TRANSACTION);

/** Ends a revision that no step has begun with, because its deployment is being deleted. */
export const endedByDeletion = (item: Revision, now: number): Write =>
  move(item, 'INTERRUPTED', now, {
    set: {
      status_message: 'Interrupted: deployment deleted.',
      interrupt_requested_at: new Date(now).toISOString(),
    },
    remove: ['due_pk', 'due_at'],
  });

/** Ends the queued revisions of a deployment that is being deleted, as many as a transaction takes. */
export async function endQueued(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  { deployment }: { deployment: Deployment },
): Promise<void> {
  const ended = await firstQueued(table, deployment);
  await transact(table, [
    update(
      'deployment',
      deploymentKey(deployment.tenant_id, deployment.id),
      { set: { queued: restOfQueue(deployment) } },
      equals('status', 'AWAITING_DELETE'),
      equals('queued', deployment.queued),
    ),
    ...ended.map((item) => endedByDeletion(item, clock.now())),
  ]);
}
