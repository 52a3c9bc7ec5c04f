import * as z from 'zod';
import { FEED_DAYS } from '../../contract/events.ts';
import { deliveryResults } from '../../contract/webhooks.ts';
import type { AuditMark } from '../audit-events.ts';
import { equals, guard, put, putNew, update } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { due } from '../keys/index.ts';
import { deliveries, deliveryKey, type WebhookRef } from '../keys/webhooks.ts';
import type { Table } from '../table.ts';

const DAY_SECONDS = 86_400;
/** One attempt may take so long before another worker takes a delivery that was asked for. */
const TAKEN_MILLISECONDS = 60_000;

const shape = {
  v: z.literal(1),
  tenant_id: z.string(),
  webhook_id: z.string(),
  id: z.string(),
  /** ISO 8601 UTC. */
  at: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  /** In the feed; absent: a test. */
  event_number: z.int().optional(),
  result: z.enum(deliveryResults),
  status_code: z.int().optional(),
  reason: z.string().optional(),
  duration_ms: z.int().optional(),
  next_attempt_at: z.string().optional(),
  /** A person asked for it. */
  requested: z.boolean().optional(),
  /** Epoch milliseconds, while it is PENDING. */
  due_at: z.number().optional(),
  ttl: z.number(),
};

/** One attempt to deliver an event. */
export const webhookDelivery = z.object({ ...shape, entity: z.literal('webhook_delivery') });
/** A person's wish for one, until it is made. */
export const requestedDelivery = z.object({ ...shape, entity: z.literal('requested_delivery') });

const delivery = z.discriminatedUnion('entity', [webhookDelivery, requestedDelivery]);
export type Delivery = z.infer<typeof delivery>;

/** When a record of an attempt is dropped, in epoch seconds. */
export const deliveryTtl = (now: number): number => Math.ceil(now / 1000) + FEED_DAYS * DAY_SECONDS;

export const findDelivery = (
  table: Table,
  ref: WebhookRef,
  deliveryId: string,
): Promise<Delivery | undefined> => find(table, deliveryKey(ref, deliveryId), delivery);

export const deliveriesOf = (table: Table, ref: WebhookRef): AsyncGenerator<Delivery> =>
  queryAll(table, delivery, { pk: deliveryKey(ref, '').pk, between: deliveries, newestFirst: true });

const keyOf = ({ tenant_id, webhook_id, id }: Delivery) =>
  deliveryKey({ tenantId: tenant_id, webhookId: webhook_id }, id);

/** Notes what came of an attempt. */
export const putDelivery = (item: Delivery): Write => put('webhook_delivery', { ...keyOf(item), ...item });

/** Asks for a delivery. `audit`: who did. The second consumer of the stream wakes a worker for it. */
export function requestDelivery(item: Delivery, now: number, audit: AuditMark): Write {
  const key = keyOf(item);
  return putNew('requested_delivery', { ...key, ...item, ...due(key.pk, now), audit });
}

/** Takes a delivery that was asked for. Demands that it is as it was read: another worker may have it. */
export const takeDelivery = (item: Delivery, now: number): Write =>
  update(
    'requested_delivery',
    keyOf(item),
    { set: { due_at: now + TAKEN_MILLISECONDS } },
    guard('requested delivery: nobody has it', equals('due_at', item.due_at)),
    equals('result', 'PENDING'),
  );
