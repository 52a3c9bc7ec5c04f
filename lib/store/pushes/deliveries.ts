import * as z from 'zod';
import { absent, put, update } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import { startingWith } from '../dynamodb/sort-key-range.ts';
import type { Write } from '../dynamodb/transact.ts';
import { DELIVERY_PREFIX, deliveryKey, deliveryMarkKey } from '../keys/pushes.ts';
import type { Table } from '../table.ts';

/** What became of a delivery for one deployment: the revision that it made, or why none. */
const outcome = z.object({
  deployment_id: z.string(),
  revision_id: z.string().optional(),
  reason: z.string().optional(),
});
export type DeliveryOutcome = z.infer<typeof outcome>;

/** A delivery of a git host, with a signature that held. */
export const delivery = z.object({
  v: z.literal(1),
  entity: z.literal('delivery'),
  tenant_id: z.string(),
  integration_id: z.string(),
  /** UUIDv7, of the record; its time is when the delivery came. */
  id: z.string(),
  /** As the host names it. */
  delivery_id: z.string(),
  event: z.string(),
  repository: z.string().optional(),
  ref: z.string().optional(),
  at: z.string(),
  /** One for each deployment that it was about. */
  outcomes: z.array(outcome),
  /** Why it was about none. */
  reason: z.string().optional(),
  /** Everything it asks for was done; else its host may send it again. */
  done: z.boolean(),
  ttl: z.number(),
});
export type Delivery = z.infer<typeof delivery>;

/** That a delivery has come; names its record. */
export const deliveryMark = z.object({
  v: z.literal(1),
  entity: z.literal('delivery_mark'),
  tenant_id: z.string(),
  id: z.string(),
  ttl: z.number(),
});

const KEPT_SECONDS = 30 * 86_400;

/** When the record of a delivery that came at `now` (epoch milliseconds) expires, in epoch seconds. */
export const deliveryExpiry = (now: number): number => Math.ceil(now / 1000) + KEPT_SECONDS;

type Integration = { tenantId: string; integrationId: string };

/** The record of the delivery that its host names so; undefined: it has not come before. */
export async function findDelivery(
  table: Table,
  { tenantId, integrationId }: Integration,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const mark = await find(table, deliveryMarkKey(tenantId, integrationId, deliveryId), deliveryMark);
  return mark && find(table, deliveryKey(tenantId, integrationId, mark.id), delivery);
}

/** The write that fails when a delivery has come before. */
export const DELIVERY_MARK = 'delivery_mark';

/** Keeps a delivery, once: the write `delivery_mark` fails when it has come before. */
export function keepDelivery(item: Delivery): Write[] {
  const { tenant_id, integration_id: integrationId, id, delivery_id, ttl } = item;
  const mark = { v: 1, entity: 'delivery_mark', tenant_id, id, ttl };
  return [
    put(DELIVERY_MARK, { ...deliveryMarkKey(tenant_id, integrationId, delivery_id), ...mark }, absent('pk')),
    put('delivery', { ...deliveryKey(tenant_id, integrationId, id), ...item }),
  ];
}

/** Adds what became of a delivery for a deployment, in the transaction that makes it. */
export const noteOutcome = (item: Delivery, made: DeliveryOutcome): Write =>
  update('delivery', deliveryKey(item.tenant_id, item.integration_id, item.id), {
    append: { outcomes: [made] },
  });

/** Everything that a delivery asks for was done. */
export const endDelivery = (item: Delivery): Write =>
  update('delivery', deliveryKey(item.tenant_id, item.integration_id, item.id), { set: { done: true } });

/** The deliveries of an integration, newest first. */
export const deliveriesOf = (
  table: Table,
  { tenantId, integrationId }: Integration,
): AsyncGenerator<Delivery> =>
  queryAll(table, delivery, {
    pk: deliveryKey(tenantId, integrationId, '').pk,
    between: startingWith(DELIVERY_PREFIX),
    newestFirst: true,
  });
