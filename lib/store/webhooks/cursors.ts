import * as z from 'zod';
import { collected } from '../dynamodb/collected.ts';
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
} from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { due } from '../keys/index.ts';
import { type WebhookRef, webhookCursorKey, webhookQueueKey, webhookQueues } from '../keys/webhooks.ts';
import type { Table } from '../table.ts';

/** How far the events of the feed are shared out to a webhook's queues, and which worker does it. */
export const webhookCursor = z.object({
  v: z.literal(1),
  entity: z.literal('webhook_cursor'),
  tenant_id: z.string(),
  /** The number of the last event that was passed over, or is in a queue until it is delivered. */
  position: z.int(),
  /** Where it began: what a queue holds from before that is of an earlier life of the webhook. */
  start: z.int(),
  /** At most one worker delivers; `until` in epoch milliseconds. */
  lease: z.object({ holder: z.string(), until: z.number() }).optional(),
  /** Changed by whoever came while another worked: that one looks again before it ends. */
  asked: z.string().optional(),
  due_at: z.number().optional(),
});
export type WebhookCursor = z.infer<typeof webhookCursor>;

/** What is to be delivered of one deployment, token or listener. It is there only while something is. */
export const webhookQueue = z.object({
  v: z.literal(1),
  entity: z.literal('webhook_queue'),
  tenant_id: z.string(),
  subject_id: z.string(),
  /** The number of the last event that was delivered, or the one before the first. */
  after: z.int(),
  /** Of the first event that is not delivered. */
  failing: z.object({ attempts: z.int(), since: z.number(), next_at: z.number() }).optional(),
});
export type WebhookQueue = z.infer<typeof webhookQueue>;

/** Whoever works says so again with every write; a worker that says nothing for so long is dead. */
export const LEASE_MILLISECONDS = 60_000;

export const findCursor = (table: Table, ref: WebhookRef): Promise<WebhookCursor | undefined> =>
  find(table, webhookCursorKey(ref), webhookCursor);

export const queuesOf = (table: Table, ref: WebhookRef): Promise<WebhookQueue[]> =>
  collected(queryAll(table, webhookQueue, { pk: webhookCursorKey(ref).pk, between: webhookQueues }));

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
