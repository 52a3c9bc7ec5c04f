import { anyDeploymentRow } from '../../core/items/any-version.ts';
import type { DeploymentRow } from '../../core/items/items.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import { deletedRowKey, deploymentRowKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/**
 * Which of a tenant's two lists are looked into: that of deployments being deleted is for those who ask for
 * it.
 */
export type RowLists = { table: Table; tenantId: string; others: boolean; deleted: boolean };

/** A row moves from the first to the second and never back: looked into in this order it is never missed. */
const keysOf = ({ others, deleted }: RowLists) => [
  ...(others ? [deploymentRowKey] : []),
  ...(deleted ? [deletedRowKey] : []),
];

/** The row of this deployment, if it is in one of the lists. */
export async function findRow(lists: RowLists, id: string): Promise<DeploymentRow | undefined> {
  for (const keyOf of keysOf(lists)) {
    const found = await find(lists.table, keyOf(lists.tenantId, id), anyDeploymentRow);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The rows of all lists, newest first, read `limit` at a time. */
export function rowsOf(lists: RowLists, limit: number): AsyncGenerator<DeploymentRow> {
  const { table, tenantId } = lists;
  const each = keysOf(lists).map((keyOf) =>
    queryAll(table, anyDeploymentRow, { pk: keyOf(tenantId, '').pk, newestFirst: true, limit }),
  );
  const [only] = each;
  return only !== undefined && each.length === 1 ? only : merged(each);
}

/** One sequence of those that are sorted each. A row that moved while it was read is given once. */
async function* merged(each: AsyncGenerator<DeploymentRow>[]): AsyncGenerator<DeploymentRow> {
  const heads = await Promise.all(each.map(async (rows) => ({ rows, head: await rows.next() })));
  let given: string | undefined;
  for (;;) {
    const [newest] = heads
      .filter(({ head }) => head.done !== true)
      .toSorted((a, b) => (skOf(a.head) > skOf(b.head) ? -1 : 1));
    if (newest === undefined || newest.head.done === true) return;
    if (newest.head.value.sk !== given) yield newest.head.value;
    given = newest.head.value.sk;
    newest.head = await newest.rows.next();
  }
}

const skOf = (head: IteratorResult<DeploymentRow>): string => (head.done === true ? '' : head.value.sk);
