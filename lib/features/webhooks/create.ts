import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { changeFollowers, findFeedCount } from '../../core/items/feed.ts';
import { ConditionsFailed, retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { checkAfter, checkDeployments, checkUrl, missingDeployment } from './checks.ts';
import type { Webhook } from './items.ts';
import type { createWebhook as row } from './routes.ts';
import { newSecret, sealWebhookSecrets } from './secrets.ts';
import type { WebhookSecretView } from './shape.ts';
import { putCursor, putWebhook } from './store.ts';
import { shownUrl, webhookViewOf } from './view.ts';

type CreateDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'settings'>;

/**
 * Keeps an address that events are delivered to, and shows the secret that signs them this once. Throws 422
 * for a host that is not to be reached from here, 404 for a deployment that is not there.
 */
export async function createWebhook(
  deps: CreateDeps,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<WebhookSecretView> {
  checkUrl(deps.settings, body.url);
  const { tenantId } = caller;
  const id = deps.clock.orderedId();
  const ref = { tenantId, webhookId: id };
  const secret = newSecret();
  const format = body.format ?? 'standard';
  const item: Webhook = {
    v: 1,
    entity: 'webhook',
    tenant_id: tenantId,
    id,
    name: body.name ?? new URL(body.url).host,
    format,
    shown_url: shownUrl(body.url, format),
    sealed: await sealWebhookSecrets(deps, ref, { url: body.url, secret }),
    ...(body.event_types !== undefined && { event_types: body.event_types }),
    ...(body.deployment_ids !== undefined && { deployment_ids: body.deployment_ids }),
    version: 1,
    created_at: new Date(deps.clock.now()).toISOString(),
    created_by: caller.userId,
  };
  await keep(deps, item, body.after, caller);
  return { ...webhookViewOf(item, deps.clock.now()), secret };
}

function keep(
  { table, clock, settings }: CreateDeps,
  item: Webhook,
  after: number | undefined,
  caller: Caller,
): Promise<void> {
  const { tenantId } = caller;
  const ids = item.deployment_ids ?? [];
  const audit = auditMarkOf({ clock }, { action: 'webhook.create' }, caller);
  return retryRaces(table, async () => {
    const feed = await findFeedCount(table, tenantId);
    const [there, limit] = [feed?.webhooks?.length ?? 0, settings.limits.webhooks];
    if (there >= limit) throw refuse('limit_reached', { kind: 'webhooks', count: there, limit });
    const count = feed?.count ?? 0;
    checkAfter(after ?? 0, count);
    await transact(table, [
      putWebhook(item, audit),
      putCursor({ tenantId, webhookId: item.id }, after ?? count, clock.now()),
      changeFollowers(tenantId, feed, { add: item.id }),
      ...checkDeployments(tenantId, ids),
    ]).catch((error: unknown) => {
      throw (error instanceof ConditionsFailed && missingDeployment(error, ids)) || error;
    });
  });
}
