import * as z from 'zod';
import { refuse } from '../../contract/errors.ts';
import { FEED_DAYS } from '../../contract/events.ts';
import type { AuditMark } from '../../core/items/audit-events.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import {
  absent,
  any,
  atMost,
  equals,
  guard,
  present,
  put,
  putNew,
  remove,
  same,
  update,
} from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { due, type Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import {
  requestedDelivery,
  type Webhook,
  type WebhookCursor,
  type WebhookDelivery,
  type WebhookQueue,
  webhook,
  webhookCursor,
  webhookDelivery,
  webhookQueue,
} from './items.ts';

export type WebhookRef = { tenantId: string; webhookId: string };

export const webhookKey = ({ tenantId, webhookId }: WebhookRef): Key => ({
  pk: `T#${tenantId}#WH`,
  sk: webhookId,
});

/** What is delivered there lies beside it: it changes far more often, and ends later. */
const deliveryPk = ({ tenantId, webhookId }: WebhookRef): string => `T#${tenantId}#W#${webhookId}`;

const CURSOR = 'CURSOR';
const QUEUE = 'Q#';
const DELIVERY = 'D#';

export const webhookCursorKey = (ref: WebhookRef): Key => ({ pk: deliveryPk(ref), sk: CURSOR });

/** `subjectId`: of the deployment, token or listener whose events wait. */
export const webhookQueueKey = (ref: WebhookRef, subjectId: string): Key => ({
  pk: deliveryPk(ref),
  sk: `${QUEUE}${subjectId}`,
});

export const deliveryKey = (ref: WebhookRef, deliveryId: string): Key => ({
  pk: deliveryPk(ref),
  sk: `${DELIVERY}${deliveryId}`,
});

export const webhookRefOf = ({ tenant_id, id }: Pick<Webhook, 'tenant_id' | 'id'>): WebhookRef => ({
  tenantId: tenant_id,
  webhookId: id,
});

export const findWebhook = (table: Table, ref: WebhookRef): Promise<Webhook | undefined> =>
  find(table, webhookKey(ref), webhook);

/** Throws `webhook_not_found`. */
export async function getWebhookItem(table: Table, ref: WebhookRef): Promise<Webhook> {
  const found = await findWebhook(table, ref);
  if (found === undefined) throw refuse('webhook_not_found', { id: ref.webhookId });
  return found;
}

/** All of a tenant's webhooks, newest first. */
export async function webhooksOf(table: Table, tenantId: string): Promise<Webhook[]> {
  const all: Webhook[] = [];
  const query = { pk: webhookKey({ tenantId, webhookId: '' }).pk, newestFirst: true };
  for await (const item of queryAll(table, webhook, query)) all.push(item);
  return all;
}

/** Stores a new webhook. `audit`: who asked for it. */
export const putWebhook = (item: Webhook, audit: AuditMark): Write =>
  putNew('webhook', { ...webhookKey(webhookRefOf(item)), ...item, audit });

/** Changes a webhook. Demands that it is as it was read. `audit`: who asked for it, if anybody did. */
export const changeWebhook = (before: Webhook, after: Webhook, audit?: AuditMark): Write =>
  put(
    'webhook',
    { ...webhookKey(webhookRefOf(before)), ...after, version: before.version + 1, ...(audit && { audit }) },
    equals('version', before.version),
  );

/** Removes a webhook. Demands that it is as it was read. */
export const removeWebhook = (item: Webhook): Write =>
  remove('webhook', webhookKey(webhookRefOf(item)), equals('version', item.version));

/** Whoever works says so again with every write; a worker that says nothing for so long is dead. */
export const LEASE_MILLISECONDS = 60_000;

export const findCursor = (table: Table, ref: WebhookRef): Promise<WebhookCursor | undefined> =>
  find(table, webhookCursorKey(ref), webhookCursor);

export const queuesOf = (table: Table, ref: WebhookRef): Promise<WebhookQueue[]> =>
  collected(queryAll(table, webhookQueue, { pk: webhookCursorKey(ref).pk, between: startingWith(QUEUE) }));

/** A new webhook's cursor: the events after `position` are delivered. */
export function putCursor(ref: WebhookRef, position: number, dueAt: number): Write {
  const key = webhookCursorKey(ref);
  const item = { v: 1, entity: 'webhook_cursor', tenant_id: ref.tenantId, position, start: position };
  return put('webhook_cursor', { ...key, ...item, ...due(key.pk, dueAt) });
}

/**
 * Takes the lease. Demands that nobody else has it. Should the worker die, sweep looks. `now`: epoch
 * milliseconds.
 */
export function takeCursor(ref: WebhookRef, holder: string, now: number): Write {
  const key = webhookCursorKey(ref);
  const lease = { holder, until: now + LEASE_MILLISECONDS };
  return update(
    'webhook_cursor',
    key,
    { set: { lease, ...due(key.pk, now + 2 * LEASE_MILLISECONDS) } },
    present('pk'),
    guard(
      'webhook lease: nobody has it',
      any(absent('lease'), atMost('lease.until', now), equals('lease.holder', holder)),
    ),
  );
}

/** Asks the worker that has the lease to look again. Demands that it still has it. */
export const askWorker = (ref: WebhookRef, { holder }: { holder: string }, asked: string): Write =>
  update('webhook_cursor', webhookCursorKey(ref), { set: { asked } }, equals('lease.holder', holder));

const held = (holder: string) => guard('webhook lease: still ours', equals('lease.holder', holder));

/**
 * Keeps the lease, and goes on to a position where one is given. Demands that the lease is still `holder`'s.
 */
export const advanceCursor = (
  ref: WebhookRef,
  { holder, position, now }: { holder: string; position?: number; now: number },
): Write =>
  update(
    'webhook_cursor',
    webhookCursorKey(ref),
    { set: { position, lease: { holder, until: now + LEASE_MILLISECONDS } } },
    held(holder),
  );

/**
 * Gives the lease back, until `dueAt` (undefined: for good). Demands that nobody has asked since `asked` was
 * read.
 */
export function releaseCursor(
  ref: WebhookRef,
  { holder, asked, dueAt }: { holder: string; asked: string | undefined; dueAt: number | undefined },
): Write {
  const key = webhookCursorKey(ref);
  return update(
    'webhook_cursor',
    key,
    {
      ...(dueAt !== undefined && { set: due(key.pk, dueAt) }),
      remove: ['lease', ...(dueAt === undefined ? ['due_pk', 'due_at'] : [])],
    },
    held(holder),
    guard('webhook lease: nobody asked', same('asked', asked)),
  );
}

/** Makes a worker look at once; for a webhook that is gone, to clean up. */
export const wakeCursor = (ref: WebhookRef, now: number): Write => {
  const key = webhookCursorKey(ref);
  return update('webhook_cursor', key, { set: due(key.pk, now) }, present('pk'));
};

export const removeCursor = (ref: WebhookRef): Write => remove('webhook_cursor', webhookCursorKey(ref));

/** Begins a queue after this number. Demands that there is none. */
export const putQueue = (ref: WebhookRef, subjectId: string, after: number): Write =>
  putNew(`webhook_queue ${subjectId}`, {
    ...webhookQueueKey(ref, subjectId),
    ...{ v: 1, entity: 'webhook_queue', tenant_id: ref.tenantId, subject_id: subjectId, after },
  });

/** Notes how far a queue is delivered, and whether its next event has failed. */
export const noteQueue = (
  ref: WebhookRef,
  { subject_id, after, failing }: Pick<WebhookQueue, 'subject_id' | 'after' | 'failing'>,
): Write =>
  update(`webhook_queue ${subject_id}`, webhookQueueKey(ref, subject_id), {
    set: { after, failing },
    ...(failing === undefined && { remove: ['failing'] }),
  });

export const removeQueue = (ref: WebhookRef, subjectId: string): Write =>
  remove(`webhook_queue ${subjectId}`, webhookQueueKey(ref, subjectId));

const DAY_SECONDS = 86_400;
/** One attempt may take so long before another worker takes a delivery that was asked for. */
const TAKEN_MILLISECONDS = 60_000;

const delivery = z.discriminatedUnion('entity', [webhookDelivery, requestedDelivery]);

/** When a record of an attempt is dropped, in epoch seconds. */
export const deliveryTtl = (now: number): number => Math.ceil(now / 1000) + FEED_DAYS * DAY_SECONDS;

export const findDelivery = (
  table: Table,
  ref: WebhookRef,
  deliveryId: string,
): Promise<WebhookDelivery | undefined> => find(table, deliveryKey(ref, deliveryId), delivery);

/** Newest first, `limit` read at a time. */
export const deliveriesOf = (
  table: Table,
  ref: WebhookRef,
  limit?: number,
): AsyncGenerator<WebhookDelivery> =>
  queryAll(table, delivery, {
    pk: deliveryKey(ref, '').pk,
    between: startingWith(DELIVERY),
    newestFirst: true,
    ...(limit !== undefined && { limit }),
  });

const keyOf = ({ tenant_id, webhook_id, id }: WebhookDelivery) =>
  deliveryKey({ tenantId: tenant_id, webhookId: webhook_id }, id);

/** Notes what came of an attempt. */
export const putDelivery = (item: WebhookDelivery): Write =>
  put('webhook_delivery', { ...keyOf(item), ...item });

/** Asks for a delivery. `audit`: who did. The second consumer of the stream wakes a worker for it. */
export function requestDelivery(item: WebhookDelivery, now: number, audit: AuditMark): Write {
  const key = keyOf(item);
  return putNew('requested_delivery', { ...key, ...item, ...due(key.pk, now), audit });
}

/** Takes a delivery that was asked for. Demands that it is as it was read: another worker may have it. */
export const takeDelivery = (item: WebhookDelivery, now: number): Write =>
  update(
    'requested_delivery',
    keyOf(item),
    { set: { due_at: now + TAKEN_MILLISECONDS } },
    guard('requested delivery: nobody has it', equals('due_at', item.due_at)),
    equals('result', 'PENDING'),
  );
