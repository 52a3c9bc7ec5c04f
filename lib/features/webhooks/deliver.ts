import type { Wake } from '../../adapters/webhook-waker.ts';
import { findFeedEvent } from '../../core/items/feed.ts';
import { ConditionsFailed, retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { Sender, type Sent } from './attempt.ts';
import type { Webhook, WebhookCursor, WebhookDelivery, WebhookQueue } from './items.ts';
import {
  advanceCursor,
  askWorker,
  findCursor,
  findDelivery,
  findWebhook,
  putDelivery,
  queuesOf,
  releaseCursor,
  removeCursor,
  removeQueue,
  takeCursor,
  takeDelivery,
  type WebhookRef,
} from './store.ts';
import { LeaseLost, WebhookWorker, type WorkerDeps } from './worker.ts';

/**
 * Delivers what a webhook has not had, or the one delivery that was asked for. At most one worker delivers
 * for a webhook at a time: a second one asks the first to look again, and ends.
 */
export async function deliver(deps: WorkerDeps, { deliveryId, ...ref }: Wake): Promise<void> {
  if (deliveryId !== undefined) return deliverRequested(deps, ref, deliveryId);
  // A runtime that has the table for itself takes up what it had before it was killed.
  const holder = deps.ownerId ?? deps.clock.randomId();
  const cursor = await takeLease(deps, ref, holder);
  if (cursor === undefined) return;
  await workWhileAsked(deps, ref, { holder, cursor }).catch((error: unknown) => {
    // The webhook has begun anew meanwhile, or this worker was thought dead: the next one goes on.
    if (!(error instanceof LeaseLost)) throw error;
  });
}

async function workWhileAsked(
  deps: WorkerDeps,
  ref: WebhookRef,
  { holder, cursor: taken }: Held,
): Promise<void> {
  let cursor = taken;
  for (;;) {
    const dueAt = await workOff(deps, ref, { holder, cursor });
    const released = await release(deps, ref, { holder, asked: cursor.asked, dueAt });
    if (released === undefined) return;
    cursor = released;
  }
}

/** The cursor, with the lease on it; undefined: there is none, or another worker has it and will look again. */
function takeLease(
  { table, clock }: WorkerDeps,
  ref: WebhookRef,
  holder: string,
): Promise<WebhookCursor | undefined> {
  return retryRaces(table, async () => {
    const cursor = await findCursor(table, ref);
    if (cursor === undefined) return undefined;
    const now = clock.now();
    if (cursor.lease !== undefined && cursor.lease.until > now && cursor.lease.holder !== holder) {
      await write(table, askWorker(ref, cursor.lease, clock.randomId()));
      return undefined;
    }
    await write(table, takeCursor(ref, holder, now));
    return cursor;
  });
}

type Held = { holder: string; cursor: WebhookCursor };

/** Gives when something is to be sent next; undefined: nothing ever will be, as things are. */
async function workOff(
  deps: WorkerDeps,
  ref: WebhookRef,
  { holder, cursor }: Held,
): Promise<number | undefined> {
  const { table } = deps;
  const queues = await queuesOf(table, ref);
  const stale = queues.filter(({ after }) => after < cursor.start);
  await dropQueues(deps, ref, holder, stale);
  const worker = new WebhookWorker(deps, ref, holder, cursor.position);
  const dueAt = await worker.run(queues.filter((queue) => !stale.includes(queue)));
  if (dueAt === undefined) await dropQueues(deps, ref, holder, await queuesOf(table, ref));
  return dueAt;
}

/** A transaction takes a hundred writes, and one of them says that the lease is still ours. */
const QUEUES_AT_ONCE = 99;

async function dropQueues(
  { table, clock }: WorkerDeps,
  ref: WebhookRef,
  holder: string,
  queues: WebhookQueue[],
): Promise<void> {
  for (let start = 0; start < queues.length; start += QUEUES_AT_ONCE) {
    const some = queues.slice(start, start + QUEUES_AT_ONCE);
    await transact(table, [
      advanceCursor(ref, { holder, now: clock.now() }),
      ...some.map(({ subject_id }) => removeQueue(ref, subject_id)),
    ]).catch((error: unknown) => {
      throw error instanceof ConditionsFailed ? new LeaseLost(error.message) : error;
    });
  }
}

/** Undefined: it is given back. Else somebody has asked meanwhile, and this is the cursor as it is. */
async function release(
  { table }: WorkerDeps,
  ref: WebhookRef,
  given: { holder: string; asked: string | undefined; dueAt: number | undefined },
): Promise<WebhookCursor | undefined> {
  const isGone = given.dueAt === undefined && (await findWebhook(table, ref)) === undefined;
  try {
    await write(table, isGone ? removeCursor(ref) : releaseCursor(ref, given));
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const cursor = await findCursor(table, ref);
    if (cursor?.lease?.holder !== given.holder) throw new LeaseLost(error.message);
    return cursor;
  }
}

/** Sends what a person asked for, once, beside the order of the others. */
async function deliverRequested(deps: WorkerDeps, ref: WebhookRef, deliveryId: string): Promise<void> {
  const { table, clock } = deps;
  const wanted = await findDelivery(table, ref, deliveryId);
  if (wanted?.result !== 'PENDING') return;
  try {
    await write(table, takeDelivery(wanted, clock.now()));
  } catch (error) {
    // Another worker has it.
    if (error instanceof ConditionsFailed) return;
    throw error;
  }
  const webhook = await findWebhook(table, ref);
  const event = webhook && (await eventOf(deps, webhook, wanted));
  await write(table, putDelivery(await sent(deps, wanted, webhook, event)));
}

async function eventOf(
  { table }: WorkerDeps,
  webhook: Webhook,
  wanted: WebhookDelivery,
): Promise<Sent | undefined> {
  const { event_number: number, event_id: id, at } = wanted;
  if (number === undefined)
    return { id, type: 'webhook.test', at, tenant_id: webhook.tenant_id, webhook_id: webhook.id };
  const found = await findFeedEvent(table, webhook.tenant_id, number);
  return found && { ...found.event, number };
}

async function sent(
  deps: WorkerDeps,
  wanted: WebhookDelivery,
  webhook: Webhook | undefined,
  event: Sent | undefined,
): Promise<WebhookDelivery> {
  const { due_at: _, ...rest } = wanted;
  if (webhook === undefined || event === undefined) {
    const reason = webhook === undefined ? 'The webhook is deleted.' : 'The event has expired.';
    return { ...rest, entity: 'webhook_delivery', result: 'FAILED', reason };
  }
  const { record } = await new Sender(deps).attempt(webhook, event);
  return { ...record, id: wanted.id, requested: true };
}
