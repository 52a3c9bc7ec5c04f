import { equals, guard, update } from '../../store/expressions.ts';
import type { Deployment, Revision } from '../../store/items.ts';
import { deploymentKey, revisionKey } from '../../store/keys.ts';
import { queryAll, transact, type Write } from '../../store/operations.ts';
import { countWithin, noteEnds } from '../../store/revision-ends.ts';
import { move, revisionOfAnyVersion } from '../../store/revisions.ts';
import type { Table } from '../../store/table.ts';
import type { Deps } from '../deps.ts';

const REVISIONS_A_TRANSACTION = 90;
/** A transaction holds a hundred writes: these for revisions and the notes of their ends, the rest for what goes with them. */
const WRITES_A_TRANSACTION = 94;

const countAtOnce = ({ queued }: Deployment): number =>
  countWithin(queued.slice(0, REVISIONS_A_TRANSACTION), WRITES_A_TRANSACTION);

/** The first revisions in a deployment's queue, as many as end in one transaction. */
export async function firstQueued(table: Table, deployment: Deployment): Promise<Revision[]> {
  const numbers = deployment.queued.slice(0, countAtOnce(deployment));
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return [];
  const at = (number: number) => revisionKey(deployment.tenant_id, deployment.id, number);
  const found: Revision[] = [];
  const between: [string, string] = [at(first).sk, at(last).sk];
  for await (const item of queryAll(table, revisionOfAnyVersion, { pk: at(0).pk, between }))
    if (numbers.includes(item.number) && item.status === 'QUEUED') found.push(item);
  return found;
}

/** The queue without those. */
export const restOfQueue = (deployment: Deployment): number[] =>
  deployment.queued.slice(countAtOnce(deployment));

/** Ends revisions of a deployment that no step has begun with, because it is being deleted. */
export const endedByDeletion = (items: Revision[], now: number): Write[] => [
  ...items.map((item) => interruptedByDeletion(item, now)),
  ...noteEnds(items, 'INTERRUPTED'),
];

const interruptedByDeletion = (item: Revision, now: number): Write =>
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
      guard('deletion: asked for', equals('status', 'AWAITING_DELETE')),
      guard('queue: as read', equals('queued', deployment.queued)),
    ),
    ...endedByDeletion(ended, clock.now()),
  ]);
}
