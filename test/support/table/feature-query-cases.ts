import { apiKeyRow } from '../../../lib/core/items/api-keys.ts';
import { buildPlace, buildPlaces } from '../../../lib/core/items/build-places.ts';
import { countWaiting } from '../../../lib/core/items/deployment-rows.ts';
import { unpublishedEvents, unpublishedEventsOf } from '../../../lib/core/items/events.ts';
import { feedAfter, feedNewestFirst, storedFeedEvent } from '../../../lib/core/items/feed.ts';
import { deploymentRow } from '../../../lib/core/items/items.ts';
import {
  member,
  memberKey,
  membership,
  membershipKey,
  tenantsOfMember,
} from '../../../lib/core/items/members.ts';
import { watch, watchedHead } from '../../../lib/core/items/push-watches.ts';
import { tokenRuleKey } from '../../../lib/core/items/token-rule-ends.ts';
import { tokenRule } from '../../../lib/core/items/token-rules.ts';
import { apiKeyRows } from '../../../lib/features/api-keys/store.ts';
import { membersOf } from '../../../lib/features/members/store.ts';
import { awaitedPush, pushDelivery } from '../../../lib/features/pushes/items.ts';
import {
  awaitedBy,
  awaitedKey,
  dueHeads,
  latestDelivery,
  pushDeliveriesOf,
  pushDeliveryKey,
  watchesOf,
} from '../../../lib/features/pushes/store.ts';
import { tenantRow } from '../../../lib/features/tenants/items.ts';
import { tenantRowKey, tenantRows } from '../../../lib/features/tenants/store.ts';
import { tokenRuleRow } from '../../../lib/features/token-rules/items.ts';
import {
  rowsAbout,
  type Subject,
  tokenRuleRowKey,
  tokenRulesOf,
} from '../../../lib/features/token-rules/store.ts';
import { webhook, webhookDelivery, webhookQueue } from '../../../lib/features/webhooks/items.ts';
import * as webhookKeys from '../../../lib/features/webhooks/store.ts';
import { deliveriesOf, queuesOf, webhooksOf } from '../../../lib/features/webhooks/store.ts';
import { countAll } from '../../../lib/store/counts.ts';
import { collected } from '../../../lib/store/dynamodb/collected.ts';
import { buildPlaceKey } from '../../../lib/store/keys/counts.ts';
import { feedEventKey, unpublishedEventsKey } from '../../../lib/store/keys/events.ts';
import * as keys from '../../../lib/store/keys/index.ts';
import { apiKeyRowKey } from '../../../lib/store/keys/index.ts';
import * as pushKeys from '../../../lib/store/keys/pushes.ts';
import type { QueryCase } from './query-cases.ts';

const TENANT = 'tenant';

/** As many as were counted. */
const times = (count: number): unknown[] => Array.from({ length: count });

/** Of what is counted. */
export const ofCounts: QueryCase[] = [
  {
    name: 'the builds of a tenant that run at once',
    file: 'lib/core/items/build-places.ts',
    shape: buildPlace,
    key: (id) => buildPlaceKey(id, 0),
    ask: buildPlaces,
  },
  {
    name: 'how many keys a tenant has',
    file: 'lib/store/counts.ts',
    shape: apiKeyRow,
    key: (id) => keys.apiKeyRowKey({ organizationId: 'organization', tenantId: id }, 'key'),
    ask: async (table, id) => times(await countAll(table, { tenantId: id }, 'keys')),
  },
  {
    name: 'how many revisions of a tenant wait',
    file: 'lib/core/items/deployment-rows.ts',
    shape: deploymentRow,
    key: (id) => keys.deploymentRowKey(id, 'deployment'),
    more: () => ({ waiting: 1 }),
    ask: async (table, id) => times(await countWaiting(table, id)),
  },
];

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
    name: 'events of a tenant, newest first',
    file: 'lib/core/items/feed.ts',
    shape: storedFeedEvent,
    key: (id) => feedEventKey(id, 1),
    ask: (table, id) => collected(feedNewestFirst(table, id, 10)),
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

const subjectOf = (id: string): Subject => ({
  issuer: 'https://ci.example',
  subject: { claim: 'repository_id', id },
});

/** The queries about keys, members, tenants, and rules for jobs. */
export const ofPeople: QueryCase[] = [
  {
    name: 'keys of a tenant',
    file: 'lib/features/api-keys/store.ts',
    shape: apiKeyRow,
    key: (id) => apiKeyRowKey({ organizationId: 'o', tenantId: id }, 'key'),
    ask: (table, id) => collected(apiKeyRows(table, { organizationId: 'o', tenantId: id }, 10)),
  },
  {
    name: 'members of a tenant',
    file: 'lib/features/members/store.ts',
    shape: member,
    key: (id) => memberKey(id, 'member'),
    ask: (table, id) => collected(membersOf(table, id, 10)),
  },
  {
    name: 'tenants of a member',
    file: 'lib/core/items/members.ts',
    shape: membership,
    key: (id) => membershipKey(id, 'tenant'),
    ask: (table, id) => tenantsOfMember(table, id, 10),
  },
  {
    name: 'rules for jobs of a tenant',
    file: 'lib/features/token-rules/store.ts',
    shape: tokenRule,
    key: (id) => tokenRuleKey(id, 'rule'),
    ask: (table, id) => collected(tokenRulesOf(table, id, 10)),
  },
  {
    name: 'rules about a repository',
    file: 'lib/features/token-rules/store.ts',
    shape: tokenRuleRow,
    key: (id) => tokenRuleRowKey(subjectOf(id), TENANT, 'rule'),
    ask: async (table, id) => (await rowsAbout(table, subjectOf(id), undefined)).rows,
  },
  {
    name: 'rules of a tenant about a repository',
    file: 'lib/features/token-rules/store.ts',
    shape: tokenRuleRow,
    key: (id) => tokenRuleRowKey(subjectOf('7'), id, 'rule'),
    ask: async (table, id) => (await rowsAbout(table, subjectOf('7'), id)).rows,
  },
  {
    name: 'tenants of an organization',
    file: 'lib/features/tenants/store.ts',
    shape: tenantRow,
    key: (id) => tenantRowKey(id, 'tenant'),
    ask: (table, id) => collected(tenantRows(table, id, 10)),
  },
];

/** Of deliveries, and of what they find. */
export const ofPushes: QueryCase[] = [
  {
    name: 'deliveries of an integration',
    file: 'lib/features/pushes/store.ts',
    shape: pushDelivery,
    key: (id) => pushDeliveryKey(TENANT, id, 'delivery'),
    ask: (table, id) => collected(pushDeliveriesOf(table, { tenantId: TENANT, integrationId: id })),
  },
  {
    name: 'the last delivery of an integration',
    file: 'lib/features/pushes/store.ts',
    shape: pushDelivery,
    key: (id) => pushDeliveryKey(TENANT, id, 'delivery'),
    ask: async (table, id) => {
      const found = await latestDelivery(table, { tenantId: TENANT, integrationId: id });
      return found === undefined ? [] : [found];
    },
  },
  {
    name: 'what watches a repository of a tenant',
    file: 'lib/features/pushes/store.ts',
    shape: watch,
    key: (id) => pushKeys.watchKey(id, 'git.example/team/app', 'deployment'),
    ask: (table, id) => collected(watchesOf(table, id, 'git.example/team/app')),
  },
  {
    name: 'what a deployment waits for a look for',
    file: 'lib/features/pushes/store.ts',
    shape: awaitedPush,
    key: (id) => awaitedKey('repository', id, 'delivery'),
    ask: (table, id) => awaitedBy(table, 'repository', id),
  },
  {
    name: 'what watches a repository that is due',
    file: 'lib/features/pushes/store.ts',
    shape: watchedHead,
    key: (id) => pushKeys.headKey(id, 'git.example/team/app', undefined),
    more: () => ({ due_pk: pushKeys.HEADS_DUE, due_at: 1 }),
    ask: async (table, id) => {
      const due = await collected(dueHeads(table, { until: 1, now: 1 }));
      return due.flatMap(({ head, key }) => (key.pk.startsWith(`T#${id}#`) ? [head] : []));
    },
  },
];
