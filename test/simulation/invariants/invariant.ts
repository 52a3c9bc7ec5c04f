import type { Item } from '../table/expressions.ts';
import type { Change, MemoryTable } from '../table/memory-table.ts';

/** Something that must hold all the time. Each part says what it found broken. */
export type Invariant = {
  /** What one write has changed. */
  onChange?(change: Change): void;
  /** After each step, for the deployments whose items, tasks or builds have changed in it. */
  onDeployment?(deployment: StoredDeployment): void;
  /** Every minute of the run. */
  onMinute?(): void;
  /** When everything is at rest. */
  atRest?(): void;
};

/** A deployment as it is stored, with what is in progress. */
export type StoredDeployment = {
  pk: string;
  item: Item & { id: string; tenant_id: string; listener_id: string; status: string; queued: number[] };
  revisions: Revision[];
};

export type Revision = Item & {
  id: string;
  deployment_id: string;
  number: number;
  status: string;
  status_message?: string;
  history: { status: string; at: string }[];
  outcome?: { stage: string; result: string; message?: string };
  cause?: { kind: string };
  revision_config: { repo_ref?: string; repo_commit_sha?: string };
};

export type Task = Item & {
  id: string;
  deployment_id: string;
  revision_id?: string;
  state: string;
  epoch: number;
};

export function stored(table: MemoryTable, pk: string): StoredDeployment | undefined {
  const partition = table.partitions.get(pk);
  const item = partition?.get('A') as StoredDeployment['item'] | undefined;
  if (partition === undefined || item === undefined) return undefined;
  const revisions = [...partition.values()].filter(({ entity }) => entity === 'revision') as Revision[];
  return { pk, item, revisions };
}

/** The open tasks of a deployment. */
export function openTasksOf(table: MemoryTable, { item }: Pick<StoredDeployment, 'item'>): Task[] {
  const partition =
    table.partitions.get(`T#${item.tenant_id}#L#${item.listener_id}`) ?? new Map<string, Item>();
  return [...partition.values()].filter(
    ({ entity, deployment_id: id }) => entity === 'task' && id === item.id,
  ) as Task[];
}

/** The deployment that an item is of; undefined for what is none's. */
export const deploymentKeyOf = ({ pk, before, after }: Change): string | undefined => {
  const item = after ?? before;
  if (item?.entity === 'task') return `T#${item.tenant_id}#D#${item.deployment_id}`;
  return /^T#[^#]+#D#[^#]+$/.test(pk) ? pk : undefined;
};

export const short = (id: string): string => id.slice(0, 23).slice(-9);
