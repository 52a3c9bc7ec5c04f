import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import type { Facts } from '../facts.ts';
import type { MemoryTable } from '../table/memory-table.ts';
import { type Revision, type StoredDeployment, stored } from './invariant.ts';

/**
 * What of the deployments has not come to its end, in words; nothing when everything is at rest. `but`: one
 * that is not asked about.
 */
export function unfinished(table: MemoryTable, facts: Facts, but?: string): string[] {
  const deployments = [...table.partitions.keys()].flatMap((pk) => stored(table, pk) ?? []);
  return deployments
    .filter(({ item }) => item.entity === 'deployment' && item.id !== but)
    .flatMap((one) => unfinishedOf(one, facts));
}

function unfinishedOf({ item, revisions }: StoredDeployment, facts: Facts): string[] {
  const open = revisions.filter(({ status }) => !isTerminal(status as RevisionStatus));
  const { queued, slot, task_id: task } = item;
  const isIdle = queued.length === 0 && slot === undefined && task === undefined;
  return [
    ...(facts.deleted.has(item.id) ? [`${item.id} is not deleted`] : []),
    ...(isIdle ? [] : [`${item.id}: ${JSON.stringify({ queued, slot, task })}`]),
    ...open.map(({ number, status }) => `${item.id}: revision ${number} is ${status}`),
    ...(open.length === 0 && isIdle ? activeProblem(item, revisions) : []),
  ];
}

/** What is active is the newest that was deployed. */
function activeProblem(item: StoredDeployment['item'], revisions: Revision[]): string[] {
  const deployed = revisions.filter(({ status }) => status === 'DEPLOYED').map(({ number }) => number);
  const newest = deployed.length === 0 ? undefined : Math.max(...deployed);
  const active = (item.active as { number: number } | undefined)?.number;
  return newest === active
    ? []
    : [`${item.id}: number ${active} is active, ${newest} is the newest that was deployed`];
}
