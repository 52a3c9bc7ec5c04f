import type { Table } from '../../store/table.ts';
import { deploymentRefOf } from './deployments.ts';
import type { Deployment, Revision } from './items.ts';
import { countWithin } from './revision-ends.ts';
import { revisionsBetween } from './revisions.ts';

const REVISIONS_A_TRANSACTION = 90;
/**
 * A transaction holds a hundred writes: these for revisions and the notes of their ends, the rest for what
 * goes with them.
 */
const WRITES_A_TRANSACTION = 94;

const countAtOnce = ({ queued }: Deployment): number =>
  countWithin(queued.slice(0, REVISIONS_A_TRANSACTION), WRITES_A_TRANSACTION);

/** The first revisions in a deployment's queue, as many as end in one transaction. */
export async function firstQueued(table: Table, deployment: Deployment): Promise<Revision[]> {
  const numbers = deployment.queued.slice(0, countAtOnce(deployment));
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return [];
  const ref = deploymentRefOf(deployment);
  const found: Revision[] = [];
  for await (const item of revisionsBetween(table, ref, first, last))
    if (numbers.includes(item.number) && item.status === 'QUEUED') found.push(item);
  return found.reverse();
}

/** The queue without those. */
export const restOfQueue = (deployment: Deployment): number[] =>
  deployment.queued.slice(countAtOnce(deployment));
