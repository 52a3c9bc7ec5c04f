import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { pageOf } from '../../core/page.ts';
import type {
  listWebhookDeliveries as deliveriesRow,
  getWebhook as getRow,
  listWebhooks as row,
} from './routes.ts';
import type { WebhookView } from './shape.ts';
import { deliveriesOf, getWebhookItem, webhooksOf } from './store.ts';
import { deliveryViewOf, webhookViewOf } from './view.ts';

type ReadDeps = Pick<Deps, 'table' | 'clock'>;

/** Webhooks, newest first. */
export async function listWebhooks(
  { table, clock }: ReadDeps,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const all = await webhooksOf(table, caller.tenantId);
  const now = clock.now();
  const resources = all
    .slice(query.offset, query.offset + query.limit)
    .map((item) => webhookViewOf(item, now));
  return { resources, offset: Math.min(query.offset, all.length) + resources.length };
}

/** Throws `webhook_not_found`. */
export async function getWebhook(
  { table, clock }: ReadDeps,
  { params }: Pick<RouteInput<typeof getRow>, 'params'>,
  { tenantId }: Caller,
): Promise<WebhookView> {
  const item = await getWebhookItem(table, { tenantId, webhookId: params.webhook_id });
  return webhookViewOf(item, clock.now());
}

/** Attempts to deliver to a webhook, newest first. Throws `webhook_not_found`. */
export async function listWebhookDeliveries(
  { table }: Pick<Deps, 'table'>,
  { params, query }: Pick<RouteInput<typeof deliveriesRow>, 'params' | 'query'>,
  { tenantId }: Caller,
): Promise<RouteOutput<typeof deliveriesRow>> {
  const ref = { tenantId, webhookId: params.webhook_id };
  await getWebhookItem(table, ref);
  const { rows, offset } = await pageOf(deliveriesOf(table, ref), query);
  return { resources: rows.map(deliveryViewOf), offset };
}
