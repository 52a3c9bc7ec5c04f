import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import type { WebhookDelivery } from './items.ts';
import type { redeliver as redeliverRow, testWebhook as testRow } from './routes.ts';
import type { DeliveryView } from './shape.ts';
import { deliveryTtl, findDelivery, getWebhookItem, requestDelivery, type WebhookRef } from './store.ts';
import { deliveryViewOf } from './view.ts';

type RequestDeps = Pick<Deps, 'table' | 'clock' | 'idempotency'>;
type Wanted = Pick<WebhookDelivery, 'event_id' | 'event_type' | 'event_number'>;

/** Asks for a test event. Throws `webhook_not_found`, and `state_forbids` while the webhook is disabled. */
export async function testWebhook(
  deps: RequestDeps,
  { params }: Pick<RouteInput<typeof testRow>, 'params'>,
  caller: Caller,
): Promise<DeliveryView> {
  const ref = { tenantId: caller.tenantId, webhookId: params.webhook_id };
  const event = { event_id: `test:${deps.clock.orderedId()}`, event_type: 'webhook.test' };
  return requested(deps, ref, event, { caller, action: 'webhook.test' });
}

/**
 * Asks for the event of a delivery to be sent once more. Throws `webhook_not_found`, `delivery_not_found`,
 * and `state_forbids` while the webhook is disabled.
 */
export async function redeliver(
  deps: RequestDeps,
  { params }: Pick<RouteInput<typeof redeliverRow>, 'params'>,
  caller: Caller,
): Promise<DeliveryView> {
  const ref = { tenantId: caller.tenantId, webhookId: params.webhook_id };
  const found = await findDelivery(deps.table, ref, params.delivery_id);
  if (found === undefined) {
    await getWebhookItem(deps.table, ref);
    throw refuse('delivery_not_found', { id: params.delivery_id });
  }
  const { event_id, event_type, event_number } = found;
  const event = { event_id, event_type, ...(event_number !== undefined && { event_number }) };
  return requested(deps, ref, event, { caller, action: 'webhook.redeliver' });
}

async function requested(
  deps: RequestDeps,
  ref: WebhookRef,
  event: Wanted,
  { caller, action }: { caller: Caller; action: 'webhook.test' | 'webhook.redeliver' },
): Promise<DeliveryView> {
  const { disabled } = await getWebhookItem(deps.table, ref);
  if (disabled !== undefined) {
    const reason = `Webhook ${ref.webhookId} is disabled: ${disabled.reason} Enable it first, with PATCH and status ENABLED.`;
    throw refuse('state_forbids', { reason });
  }
  const now = deps.clock.now();
  const item: WebhookDelivery = {
    v: 1,
    entity: 'requested_delivery',
    tenant_id: ref.tenantId,
    webhook_id: ref.webhookId,
    id: deps.clock.orderedId(),
    at: new Date(now).toISOString(),
    ...event,
    result: 'PENDING',
    requested: true,
    ttl: deliveryTtl(now),
  };
  const shown = deliveryViewOf(item);
  const audit = auditMarkOf(deps, { action, subject_id: ref.webhookId }, caller);
  await transact(deps.table, [requestDelivery(item, now, audit), ...deps.idempotency.record(shown)]);
  return shown;
}
