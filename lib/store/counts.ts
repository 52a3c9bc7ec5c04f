import * as z from 'zod';
import type { CountedKind } from '../contract/limits.ts';
import { absent, atMost, equals, guard, present, put, update } from './dynamodb/expressions.ts';
import { find, queryAll } from './dynamodb/reads.ts';
import type { Write } from './dynamodb/transact.ts';
import { type CountOwner, resourceCountKey } from './keys/counts.ts';
import {
  apiKeyRowKey,
  deletedRowKey,
  deploymentRowKey,
  integrationKey,
  listenerRowKey,
} from './keys/index.ts';
import type { Table } from './table.ts';

export type { CountOwner } from './keys/counts.ts';

/** Webhooks are counted where it is kept which there are. */
export type StoredCount = Exclude<CountedKind, 'webhooks'>;

/**
 * How many of one kind a tenant has. What makes or removes one changes it, in the same transaction, and
 * nothing else does. Of a tenant from before there were counts it says at first only what has changed since.
 */
export const resourceCount = z.object({
  v: z.literal(1),
  entity: z.literal('resource_count'),
  count: z.int(),
  /** Counts its changes: what was counted holds as long as nothing was made or removed meanwhile. */
  changes: z.int(),
  /** When all that was there was counted; absent: it was not. ISO 8601 UTC. */
  counted_at: z.string().optional(),
});
export type ResourceCount = z.infer<typeof resourceCount>;

export const findResourceCount = (
  table: Table,
  owner: CountOwner,
  kind: StoredCount,
): Promise<ResourceCount | undefined> => find(table, resourceCountKey(owner, kind), resourceCount);

/** The name of the write that fails when there are as many as there may be, as far as is known. */
export const RESOURCE_COUNT = 'resource_count';

const shape = { v: 1, entity: 'resource_count' } as const;

const by = (owner: CountOwner, kind: StoredCount, difference: number, ...when: Parameters<typeof put>[2][]) =>
  update(
    RESOURCE_COUNT,
    resourceCountKey(owner, kind),
    { set: shape, add: { count: difference, changes: 1 } },
    ...when,
  );

/** Goes with what is made whatever the limit is. */
export const countOneMore = (owner: CountOwner, kind: StoredCount): Write => by(owner, kind, 1);

/** Goes with what is removed: with the write that fails when it is not there any more. */
export const countOneLess = (owner: CountOwner, kind: StoredCount): Write => by(owner, kind, -1);

/** Goes with what is made. Demands that all were counted once, and that they are fewer than the limit. */
export const countOneWithin = (owner: CountOwner, kind: StoredCount, limit: number): Write =>
  by(
    owner,
    kind,
    1,
    guard('count: counted once', present('counted_at')),
    guard('count: below the limit', atMost('count', limit - 1)),
  );

/**
 * Says how many there are with the one that it goes with. Demands that none was made or removed since the
 * count was read, before they were counted.
 */
export const recount = (
  owner: CountOwner,
  kind: StoredCount,
  before: ResourceCount | undefined,
  { count, now }: { count: number; now: number },
): Write =>
  put(
    RESOURCE_COUNT,
    {
      ...resourceCountKey(owner, kind),
      ...shape,
      count,
      changes: (before?.changes ?? 0) + 1,
      counted_at: new Date(now).toISOString(),
    },
    guard('count: as read', before === undefined ? absent('changes') : equals('changes', before.changes)),
  );

/** The lists that have them all. Deployments move from the first to the second and never back. */
function listsOf(owner: CountOwner, kind: StoredCount): string[] {
  const { tenantId } = owner;
  if (kind === 'keys') return [apiKeyRowKey({ organizationId: '', ...owner }, '').pk];
  if (tenantId === undefined) return [];
  switch (kind) {
    case 'deployments':
      return [deploymentRowKey(tenantId, '').pk, deletedRowKey(tenantId, '').pk];
    case 'listeners':
      return [listenerRowKey(tenantId, '').pk];
    case 'integrations':
      return [integrationKey(tenantId, '').pk];
  }
}

/** Sessions of the console are over by themselves, which nobody counts. */
const listed = z.object({ sk: z.string(), ttl: z.number().optional() });

/** Counts what there is, strongly consistent: exact if none is made or removed meanwhile. */
export async function countAll(table: Table, owner: CountOwner, kind: StoredCount): Promise<number> {
  const found = new Set<string>();
  for (const pk of listsOf(owner, kind))
    for await (const { sk, ttl } of queryAll(table, listed, { pk })) if (ttl === undefined) found.add(sk);
  return found.size;
}
