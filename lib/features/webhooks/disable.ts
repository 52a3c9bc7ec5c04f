import type { Deps } from '../../core/deps.ts';
import { auditEventOf, putAuditEvent } from '../../core/items/audit-events.ts';
import { changeFollowers, findFeedCount } from '../../core/items/feed.ts';
import { retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import { changeWebhook, findWebhook, type WebhookRef } from './store.ts';

/**
 * Stops a webhook whose receiver does not take its events: says so in its status, in the audit, and, by the
 * stream, as an event.
 */
export function disable(
  { table, clock, settings }: Pick<Deps, 'table' | 'clock' | 'settings'>,
  ref: WebhookRef,
  reason: string,
  beside: Write[],
): Promise<void> {
  const { tenantId, webhookId } = ref;
  const id = clock.orderedId();
  return retryRaces(table, async () => {
    const item = await findWebhook(table, ref);
    if (item === undefined || item.disabled !== undefined) return;
    const feed = await findFeedCount(table, tenantId);
    const disabled = { at: new Date(clock.now()).toISOString(), reason };
    const {
      user_id: _,
      key_id: __,
      ...event
    } = auditEventOf(
      { id, action: 'webhook.disable', tenant_id: tenantId, user_id: '', key_id: '' },
      { subject_id: webhookId },
      settings.auditDays,
    );
    await transact(table, [
      changeWebhook(item, { ...item, disabled }),
      changeFollowers(tenantId, feed, { remove: webhookId }),
      putAuditEvent({ tenantId }, event),
      ...beside,
    ]);
  });
}
