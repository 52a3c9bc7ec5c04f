import { unpublishedEvents, unpublishedEventsOf } from '../../../lib/core/items/events.ts';
import { feedAfter, storedFeedEvent } from '../../../lib/core/items/feed.ts';
import { webhook, webhookDelivery, webhookQueue } from '../../../lib/features/webhooks/items.ts';
import * as webhookKeys from '../../../lib/features/webhooks/store.ts';
import { deliveriesOf, queuesOf, webhooksOf } from '../../../lib/features/webhooks/store.ts';
import { collected } from '../../../lib/store/dynamodb/collected.ts';
import { feedEventKey, unpublishedEventsKey } from '../../../lib/store/keys/events.ts';
import type { QueryCase } from './query-cases.ts';

const TENANT = 'tenant';

/** Queries of events, and of the webhooks that they are delivered to. */
export const ofEvents: QueryCase[] = [
  {
    name: 'events of a deployment that are to be delivered',
    file: 'lib/core/items/events.ts',
    shape: unpublishedEvents,
    key: (id) => unpublishedEventsKey(TENANT, id, 1),
    ask: (table, id) => collected(unpublishedEventsOf(table, { tenantId: TENANT, deploymentId: id })),
  },
  {
    name: 'events of a tenant',
    file: 'lib/core/items/feed.ts',
    shape: storedFeedEvent,
    key: (id) => feedEventKey(id, 1),
    ask: async (table, id) => (await feedAfter(table, id, 0, 10)).events,
  },
  {
    name: 'webhooks of a tenant',
    file: 'lib/features/webhooks/store.ts',
    shape: webhook,
    key: (id) => webhookKeys.webhookKey({ tenantId: id, webhookId: 'webhook' }),
    ask: (table, id) => webhooksOf(table, id),
  },
  {
    name: 'what waits for a webhook',
    file: 'lib/features/webhooks/store.ts',
    shape: webhookQueue,
    key: (id) => webhookKeys.webhookQueueKey({ tenantId: TENANT, webhookId: id }, 'deployment'),
    ask: (table, id) => queuesOf(table, { tenantId: TENANT, webhookId: id }),
  },
  {
    name: 'deliveries to a webhook',
    file: 'lib/features/webhooks/store.ts',
    shape: webhookDelivery,
    key: (id) => webhookKeys.deliveryKey({ tenantId: TENANT, webhookId: id }, 'delivery'),
    ask: (table, id) => collected(deliveriesOf(table, { tenantId: TENANT, webhookId: id })),
  },
];
