import * as z from 'zod';
import type { DeploymentRef } from '../../contract/refs.ts';
import { remove } from '../../store/dynamodb/expressions.ts';
import { find, queryPage } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import { besideDeployment, deletionKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/** Lies beside a deployment from the request to delete it until everything is gone. */
export const deletion = z.object({
  v: z.literal(2),
  entity: z.literal('deletion'),
  tenant_id: z.string(),
  deployment_id: z.string(),
  requested_at: z.string(),
  /** A person no longer waits for the listener. */
  forced: z.boolean().optional(),
  /** The listener has removed what ran. */
  torn_down: z.boolean().optional(),
  /** The listener could not remove it, and is not asked again before (epoch milliseconds). */
  retry_at: z.number().optional(),
  /** No dump of its database shall stay. */
  delete_data: z.literal(true).optional(),
});
export type Deletion = z.infer<typeof deletion>;

/** The second version may have `delete_data`. */
export const anyDeletion = alsoEarlier(deletion, 2);

export const findDeletion = (table: Table, ref: DeploymentRef): Promise<Deletion | undefined> =>
  find(table, deletionKey(ref.tenantId, ref.deploymentId), anyDeletion);

const keyed = z.object({ pk: z.string(), sk: z.string() });

/**
 * The writes that remove the first `limit` items beside a deployment and its deletion: revisions, versions,
 * tokens, uploads, logs.
 */
export async function removalsBeside(table: Table, ref: DeploymentRef, limit: number): Promise<Write[]> {
  const { pk } = deletionKey(ref.tenantId, ref.deploymentId);
  const { items } = await queryPage(table, keyed, { pk, between: besideDeployment, limit });
  return items.map((key) => remove('record', key));
}
