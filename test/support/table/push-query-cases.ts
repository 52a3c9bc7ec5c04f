import { watch, watchedHead } from '../../../lib/core/items/push-watches.ts';
import { awaitedPush, pushDelivery } from '../../../lib/features/pushes/items.ts';
import {
  awaitedBy,
  awaitedKey,
  dueHeads,
  pushDeliveriesOf,
  pushDeliveryKey,
  watchesOf,
} from '../../../lib/features/pushes/store.ts';
import * as pushKeys from '../../../lib/store/keys/pushes.ts';
import type { QueryCase } from './query-cases.ts';

const TENANT = 'tenant';

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of found) list.push(item);
  return list;
}

/** Of deliveries, and of what they find. */
export const ofPushes: QueryCase[] = [
  {
    name: 'deliveries of an integration',
    file: 'lib/features/pushes/store.ts',
    shape: pushDelivery,
    key: (id) => pushDeliveryKey(TENANT, id, 'delivery'),
    ask: (table, id) => all(pushDeliveriesOf(table, { tenantId: TENANT, integrationId: id })),
  },
  {
    name: 'what watches a repository of a tenant',
    file: 'lib/features/pushes/store.ts',
    shape: watch,
    key: (id) => pushKeys.watchKey(id, 'git.example/team/app', 'deployment'),
    ask: (table, id) => all(watchesOf(table, id, 'git.example/team/app')),
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
      const due = await all(dueHeads(table, { until: 1, now: 1 }));
      return due.flatMap(({ head, key }) => (key.pk.startsWith(`T#${id}#`) ? [head] : []));
    },
  },
];
