import { createHash } from 'node:crypto';
import * as z from 'zod';
import {
  NEXT_LOOK_MILLISECONDS,
  type Watch,
  type WatchedHead,
  watch,
  watchedHead,
  watchesPk,
} from '../../core/items/push-watches.ts';
import { dueItems } from '../../store/due.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import {
  absent,
  equals,
  guard,
  present,
  put,
  remove,
  same,
  update,
} from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import type { Key } from '../../store/keys/index.ts';
import { HEAD_PREFIX, HEADS_DUE, headKey, WATCH_PREFIX, watchKey } from '../../store/keys/pushes.ts';
import type { Table } from '../../store/table.ts';
import {
  type AwaitedPush,
  awaitedPush,
  type DeliveryOutcome,
  deliveryMark,
  type PushDelivery,
  pushDelivery,
} from './items.ts';

const awaitedPrefix = (deploymentId: string): string => `P#${deploymentId}#`;

/** Beside the watches of the repository. `deliveryId`: of the delivery's record. */
export const awaitedKey = (pk: string, deploymentId: string, deliveryId: string): Key => ({
  pk,
  sk: `${awaitedPrefix(deploymentId)}${deliveryId}`,
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const deliveriesPk = (tenantId: string, integrationId: string): string => `T#${tenantId}#PD#${integrationId}`;

const DELIVERY_PREFIX = 'L#';

/** `id`: of the record, which is listed by its time. */
export const pushDeliveryKey = (tenantId: string, integrationId: string, id: string): Key => ({
  pk: deliveriesPk(tenantId, integrationId),
  sk: `${DELIVERY_PREFIX}${id}`,
});

/** `deliveryId`: as the host names it, which may be anything. */
export const deliveryMarkKey = (tenantId: string, integrationId: string, deliveryId: string): Key => ({
  pk: deliveriesPk(tenantId, integrationId),
  sk: `I#${sha256(deliveryId)}`,
});

/** In the first version a request did everything, and `done` said so; what it left, a look at the head found. */
export const anyPushDelivery = alsoEarlier(pushDelivery, 2, {
  1: ({ done: _, ...item }) => ({ ...item, open: 0 }),
});

const KEPT_SECONDS = 30 * 86_400;

/** When the record of a delivery that came at `now` (epoch milliseconds) expires, in epoch seconds. */
export const deliveryExpiry = (now: number): number => Math.ceil(now / 1000) + KEPT_SECONDS;

type Integration = { tenantId: string; integrationId: string };

/** The record of the delivery that its host names so; undefined: it has not come before. */
export async function findPushDelivery(
  table: Table,
  { tenantId, integrationId }: Integration,
  deliveryId: string,
): Promise<PushDelivery | undefined> {
  const mark = await find(table, deliveryMarkKey(tenantId, integrationId, deliveryId), deliveryMark);
  return mark && find(table, pushDeliveryKey(tenantId, integrationId, mark.id), anyPushDelivery);
}

/** The write that fails when a delivery has come before. */
export const DELIVERY_MARK = 'delivery_mark';

/** Keeps a delivery, once: the write `delivery_mark` fails when it has come before. */
export function keepDelivery(item: PushDelivery): Write[] {
  const { tenant_id, integration_id: integrationId, id, delivery_id, ttl } = item;
  const mark = { v: 1, entity: 'delivery_mark', tenant_id, id, ttl };
  return [
    put(DELIVERY_MARK, { ...deliveryMarkKey(tenant_id, integrationId, delivery_id), ...mark }, absent('pk')),
    put('delivery', { ...pushDeliveryKey(tenant_id, integrationId, id), ...item }),
  ];
}

const keyOf = ({ tenant_id, integration_id, id }: PushDelivery) =>
  pushDeliveryKey(tenant_id, integration_id, id);

/** Demands that nothing has become of a delivery since it was read. */
export const sameDelivery = (item: PushDelivery): Write =>
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
      pushDeliveryKey(tenant_id, of.integration_id, of.id),
      {
        append: { outcomes: [{ deployment_id, ...outcome }] },
        ...(outcome.waits !== true && { add: { open: -1 } }),
      },
      equals('id', of.id),
    ),
  ];
}

/** The deliveries of an integration, newest first. */
export const pushDeliveriesOf = (
  table: Table,
  { tenantId, integrationId }: Integration,
): AsyncGenerator<PushDelivery> =>
  queryAll(table, anyPushDelivery, {
    pk: pushDeliveryKey(tenantId, integrationId, '').pk,
    between: startingWith(DELIVERY_PREFIX),
    newestFirst: true,
  });

/** The last delivery of an integration in 30 days, if there is one. */
export async function latestDelivery(
  table: Table,
  { tenantId, integrationId }: Integration,
): Promise<PushDelivery | undefined> {
  const { pk } = pushDeliveryKey(tenantId, integrationId, '');
  const between = startingWith(DELIVERY_PREFIX);
  const found = queryAll(table, anyPushDelivery, { pk, between, newestFirst: true, limit: 1 });
  for await (const item of found) return item;
  return undefined;
}

/** What a deployment watches in a repository. `name`: as `repositoryName` gives it. */
export const findWatch = (
  table: Table,
  tenantId: string,
  name: string,
  deploymentId: string,
): Promise<Watch | undefined> => find(table, watchKey(tenantId, name, deploymentId), watch);

/** All that watch a repository in a tenant. `name`: as `repositoryName` gives it. */
export const watchesOf = (table: Table, tenantId: string, name: string): AsyncGenerator<Watch> =>
  queryAll(table, watch, {
    pk: watchesPk(tenantId, name),
    between: startingWith(WATCH_PREFIX),
  });

/**
 * Notes the commit that was considered last. Demands that the deployment still watches the branch, and that
 * nothing else was considered since the row was read.
 */
export function noteConsidered(
  { tenant_id: tenantId, deployment_id: id, branch, considered: before }: Watch,
  name: string,
  considered: NonNullable<Watch['considered']>,
): Write {
  return update(
    'watch',
    watchKey(tenantId, name, id),
    { set: { considered } },
    guard('push: the branch is still watched', equals('branch', branch)),
    guard('push: nothing else was considered', same('considered', before)),
  );
}

export type DueHead = {
  head: WatchedHead;
  key: Key;
  /** All that watch it with the same token. */
  watches: Watch[];
  /** Those that wait for a look, by what a delivery told of. */
  awaited: AwaitedPush[];
};

/**
 * The repositories whose heads are to be asked by `until` (epoch milliseconds), the longest overdue first.
 * What could not be looked at is not taken before its time, which is not later than `now`.
 */
export async function* dueHeads(
  table: Table,
  { until, now }: { until: number; now: number },
): AsyncGenerator<DueHead> {
  // Whatever was looked at is due again later, and would come again.
  for (const { pk, sk } of await collected(dueItems(table, HEADS_DUE, until))) {
    const due = await findHead(table, { pk, sk });
    if (due !== undefined && (due.head.failures === 0 || due.head.due_at <= now)) yield due;
  }
}

/** A repository by the key of its head, with all that watch it. */
export async function findHead(table: Table, { pk, sk }: Key): Promise<DueHead | undefined> {
  const token = sk.slice(HEAD_PREFIX.length);
  const found: DueHead['watches'] = [];
  const awaited: DueHead['awaited'] = [];
  let head: WatchedHead | undefined;
  for await (const row of queryAll(table, z.union([watch, watchedHead, awaitedPush]), { pk })) {
    if ((row.integration_id ?? '-') !== token) continue;
    if (row.entity === 'push_watch') found.push(row);
    else if (row.entity === 'awaited_push') awaited.push(row);
    else head = row;
  }
  return head && { head, key: { pk, sk }, watches: found, awaited };
}

/** What a deployment waits for a look for, oldest first. `pk`: where the repository's watches are. */
export const awaitedBy = (table: Table, pk: string, deploymentId: string): Promise<AwaitedPush[]> =>
  collected(queryAll(table, awaitedPush, { pk, between: startingWith(awaitedPrefix(deploymentId)) }));

/** Makes the head of what is watched due at once. `name`: of the repository, as `repositoryName` gives it. */
export function checkHeadNow(
  name: string,
  { tenant_id, integration_id }: Watch,
  now: number,
): { key: Key; write: Write } {
  const key = headKey(tenant_id, name, integration_id);
  return { key, write: update('watched_head', key, { set: { due_at: now } }, present('pk')) };
}

/** However often it could not be asked. */
const NEXT_LOOK_MILLISECONDS_MAX = 60 * 60_000;

const asRead = ({ due_at: dueAt }: WatchedHead) => equals('due_at', dueAt);

/** Forgets a repository that nobody watches any more. Demands that nobody has begun to since it was read. */
export const forgetHead = (key: Key, head: WatchedHead): Write => remove('watched_head', key, asRead(head));

/**
 * Puts the next look off: by some minutes, and ever longer with each failure. `write` demands that nobody
 * else has done so, or asked for a look, since the head was read; `head` is what it leaves.
 */
export function checkHeadAgain(
  key: Key,
  head: WatchedHead,
  { failures, now }: { failures: number; now: number },
): { write: Write; head: WatchedHead } {
  const pause = Math.min(NEXT_LOOK_MILLISECONDS * 2 ** Math.min(failures, 8), NEXT_LOOK_MILLISECONDS_MAX);
  const next = { failures, due_at: now + pause };
  return { write: update('watched_head', key, { set: next }, asRead(head)), head: { ...head, ...next } };
}
