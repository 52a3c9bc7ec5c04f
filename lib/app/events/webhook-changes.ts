import * as z from 'zod';
import type { Wake } from '../../adapters/webhook-waker.ts';
import type { WebhookEvent } from '../../contract/events.ts';
import type { ChangedItem } from '../../core/events/changed-item.ts';

/** What is read of the images, whatever else later versions of the items hold. */
const webhookImage = z.object({
  tenant_id: z.string(),
  id: z.string(),
  version: z.int(),
  disabled: z.object({ at: z.string(), reason: z.string() }).optional(),
});
const requestImage = z.object({ tenant_id: z.string(), webhook_id: z.string(), id: z.string() });

/** Longer ones say no more. */
const REASON_LENGTH_MAX = 500;

/** That a webhook was disabled, by a request or because its receiver took nothing. */
export function webhookEventsOf({ before, after }: ChangedItem): WebhookEvent[] {
  if (after?.entity !== 'webhook') return [];
  const { tenant_id, id, version, disabled } = webhookImage.parse(after);
  if (disabled === undefined || before?.disabled !== undefined) return [];
  const { at } = disabled;
  const reason = disabled.reason.slice(0, REASON_LENGTH_MAX);
  const type = 'webhook.disabled' as const;
  return [
    { id: `${id}:${version}:disabled`, type, sequence: version, at, tenant_id, webhook_id: id, reason },
  ];
}

/** Which worker has to look: a webhook is new or was changed, or a delivery was asked for. */
export function wakesOf({ before, after }: ChangedItem): Wake[] {
  if (after?.entity === 'webhook') {
    const { tenant_id: tenantId, id: webhookId } = webhookImage.parse(after);
    return [{ tenantId, webhookId }];
  }
  if (after?.entity !== 'requested_delivery' || before !== undefined) return [];
  const { tenant_id: tenantId, webhook_id: webhookId, id: deliveryId } = requestImage.parse(after);
  return [{ tenantId, webhookId, deliveryId }];
}
