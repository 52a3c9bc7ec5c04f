import type { RouteInput } from '../../contract/routes/route.ts';
import { auditRemovalWrite } from '../../core/audit-removal.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { changeFollowers, findFeedCount } from '../../core/items/feed.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { deleteWebhook as row } from './routes.ts';
import { getWebhookItem, removeWebhook, wakeCursor } from './store.ts';

/**
 * Forgets a webhook and its secret. What was not delivered is dropped: a worker removes its cursors, at the
 * latest at the next sweep. Throws `webhook_not_found`.
 */
export async function deleteWebhook(
  deps: Pick<Deps, 'table' | 'clock' | 'settings'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { table, clock } = deps;
  const { tenantId } = caller;
  const ref = { tenantId, webhookId: params.webhook_id };
  const audit = auditRemovalWrite(deps, { action: 'webhook.delete', subject_id: ref.webhookId }, caller);
  await retryRaces(table, async () => {
    const item = await getWebhookItem(table, ref);
    const feed = await findFeedCount(table, tenantId);
    await transact(table, [
      removeWebhook(item),
      changeFollowers(tenantId, feed, { remove: ref.webhookId }),
      wakeCursor(ref, clock.now()),
      audit,
    ]);
  });
}
