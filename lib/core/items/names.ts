import * as z from 'zod';
import { find } from '../../store/dynamodb/reads.ts';
import type { Item } from '../../store/dynamodb/transact.ts';
import { nameKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/** Keeps a name taken; tells a repeated create from another one. */
export const nameReservation = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('name'),
  deployment_id: z.string(),
  created_by: z.string(),
  created_at: z.string(),
  request_hash: z.string(),
});
export type NameReservation = z.infer<typeof nameReservation>;

/** The id of the deployment that has a name, or had it last while that is being deleted. */
export const findIdByName = async (
  table: Table,
  tenantId: string,
  name: string,
): Promise<string | undefined> =>
  (await find(table, nameKey(tenantId, name), nameReservation))?.deployment_id;

/** The reservation that a create has failed for; undefined when something else did. */
export const reservationInTheWay = (failed: Map<string, Item | undefined>): NameReservation | undefined =>
  nameReservation.safeParse(failed.get('name')).data;
