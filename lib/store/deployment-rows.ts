import { findDeployment } from './deployments.ts';
import { type DeploymentRow, deploymentRow } from './items.ts';
import { deletedRowKey, deploymentRowKey } from './keys.ts';
import { queryAll } from './operations.ts';
import type { Table } from './table.ts';
import { alsoEarlierRows } from './upgrade.ts';

/** Rows of the first version do not name their listener, and those of the second do not say how healthy it is. */
export const deploymentRowOfAnyVersion = alsoEarlierRows(deploymentRow);

/** An id as rows hold it: 16 bytes in 22 characters, for every list pays for the bytes of every row. */
export const packedId = (id: string): string =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');

export const unpackedId = (packed: string): string =>
  Buffer.from(packed, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * The rows of the deployments that use this listener, also of those that are being deleted. A deployment that was there when the reading
 * began is among them, whatever happens meanwhile, unless it is gone; it may be given twice.
 */
export async function* rowsOnListener(
  table: Table,
  tenantId: string,
  listenerId: string,
): AsyncGenerator<DeploymentRow> {
  const packed = packedId(listenerId);
  for await (const row of rowsOf(table, tenantId)) {
    if ((row.listener ?? (await packedListenerOf(table, tenantId, row.sk))) === packed) yield row;
  }
}

/** Rows move from the first list to the second and never back: read in this order none is missed. */
async function* rowsOf(table: Table, tenantId: string): AsyncGenerator<DeploymentRow> {
  for (const keyOf of [deploymentRowKey, deletedRowKey]) {
    yield* queryAll(table, deploymentRowOfAnyVersion, { pk: keyOf(tenantId, '').pk });
  }
}

async function packedListenerOf(table: Table, tenantId: string, id: string): Promise<string | undefined> {
  const deployment = await findDeployment(table, tenantId, id);
  return deployment && packedId(deployment.listener_id);
}
