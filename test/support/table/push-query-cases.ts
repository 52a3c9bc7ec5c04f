import * as pushKeys from '../../../lib/store/keys/pushes.ts';
import { deliveriesOf } from '../../../lib/store/pushes/deliveries.ts';
import { awaitedPush, delivery } from '../../../lib/store/pushes/delivery-shapes.ts';
import { awaitedBy, dueHeads, watch, watchedHead, watchesOf } from '../../../lib/store/pushes/watches.ts';
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
    file: 'lib/store/pushes/deliveries.ts',
    shape: delivery,
    key: (id) => pushKeys.deliveryKey(TENANT, id, 'delivery'),
    ask: (table, id) => all(deliveriesOf(table, { tenantId: TENANT, integrationId: id })),
  },
  {
    name: 'what watches a repository of a tenant',
    file: 'lib/store/pushes/watches.ts',
    shape: watch,
    key: (id) => pushKeys.watchKey(id, 'git.example/team/app', 'deployment'),
    ask: (table, id) => all(watchesOf(table, id, 'git.example/team/app')),
  },
  {
    name: 'what a deployment waits for a look for',
    file: 'lib/store/pushes/watches.ts',
    shape: awaitedPush,
    key: (id) => pushKeys.awaitedKey('repository', id, 'delivery'),
    ask: (table, id) => awaitedBy(table, 'repository', id),
  },
  {
    name: 'what watches a repository that is due',
    file: 'lib/store/pushes/watches.ts',
    shape: watchedHead,
    key: (id) => pushKeys.headKey(id, 'git.example/team/app', undefined),
    more: () => ({ due_pk: pushKeys.HEADS_DUE, due_at: 1 }),
    ask: async (table, id) => {
      const due = await all(dueHeads(table, { until: 1, now: 1 }));
      return due.flatMap(({ head, key }) => (key.pk.startsWith(`T#${id}#`) ? [head] : []));
    },
  },
];
