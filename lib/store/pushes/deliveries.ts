import { absent, equals, put, remove, update } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import { startingWith } from '../dynamodb/sort-key-range.ts';
import type { Write } from '../dynamodb/transact.ts';
import { awaitedKey, DELIVERY_PREFIX, deliveryKey, deliveryMarkKey } from '../keys/pushes.ts';
import type { Table } from '../table.ts';
import {
  type AwaitedPush,
  anyDelivery,
  type Delivery,
  type DeliveryOutcome,
  deliveryMark,
} from './delivery-shapes.ts';

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
  return mark && find(table, deliveryKey(tenantId, integrationId, mark.id), anyDelivery);
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

const keyOf = ({ tenant_id, integration_id, id }: Delivery) => deliveryKey(tenant_id, integration_id, id);

/** Demands that nothing has become of a delivery since it was read. */
export const sameDelivery = (item: Delivery): Write =>
  update('delivery', keyOf(item), { set: { open: item.open } }, equals('open', item.open));

/** Has a deployment wait for a look. `pk`: where the repository's watches are. */
export const awaitPush = (pk: string, item: AwaitedPush): Write =>
  put('awaited_push', { ...awaitedKey(pk, item.deployment_id, item.delivery.id), ...item });

/**
 * Notes what a look came to, once: the write `awaited_push` fails when another look has. One that waits is
 * noted where it says something new.
 */
export function noteLook(
  pk: string,
  item: AwaitedPush,
  outcome: Omit<DeliveryOutcome, 'deployment_id'>,
): Write[] {
  const { tenant_id, deployment_id, delivery: of, reason } = item;
  // The first reason stays: a record of each look would grow for as long as it waits.
  if (outcome.waits === true && reason !== undefined) return [];
  const key = awaitedKey(pk, deployment_id, of.id);
  const isThere = equals('deployment_id', deployment_id);
  return [
    outcome.waits === true
      ? update('awaited_push', key, { set: { reason: outcome.reason } }, isThere)
      : remove('awaited_push', key, isThere),
    update(
      'delivery',
      deliveryKey(tenant_id, of.integration_id, of.id),
      {
        append: { outcomes: [{ deployment_id, ...outcome }] },
        ...(outcome.waits !== true && { add: { open: -1 } }),
      },
      equals('id', of.id),
    ),
  ];
}

/** The deliveries of an integration, newest first. */
export const deliveriesOf = (
  table: Table,
  { tenantId, integrationId }: Integration,
): AsyncGenerator<Delivery> =>
  queryAll(table, anyDelivery, {
    pk: deliveryKey(tenantId, integrationId, '').pk,
    between: startingWith(DELIVERY_PREFIX),
    newestFirst: true,
  });
