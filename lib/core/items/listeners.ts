import * as z from 'zod';
import { refuse } from '../../contract/errors.ts';
import type { ListenerRef } from '../../contract/refs.ts';
import { equals, guard, present, update } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import { lastSeenKey, listenerKey, listenerRowKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { anyListener } from './any-version.ts';
import type { Listener } from './items.ts';

export const lastSeen = z.object({
  v: z.literal(4),
  entity: z.literal('last_seen'),
  tenant_id: z.string(),
  at: z.number(),
  /** When there was last work for it; at first, when it first called. */
  worked_at: z.number(),
  /** Sweep was told to look whether it is online; absent: an item from before that was done. */
  watched: z.boolean().optional(),
  /** How often a request has changed what it should run, or where, beside all tasks. */
  changes: z.int().optional(),
  /** It was told to ask again so much later, for a doorbell tells it of work. Absent: within seconds. */
  next_seconds: z.int().optional(),
});
export type LastSeen = z.infer<typeof lastSeen>;

/** A first version was not watched, a second one counted no changes, a third one knew no doorbell. */
export const anyLastSeen = alsoEarlier(lastSeen, 4);

/**
 * Written under the version before, whatever it has: the release before reads past `next_seconds`, and what
 * it could not read would keep its listeners from asking after an upgrade was taken back.
 */
const WRITTEN_VERSION = 3;

export const findListener = (
  table: Table,
  tenantId: string,
  listenerId: string,
): Promise<Listener | undefined> => find(table, listenerKey(tenantId, listenerId), anyListener);

export async function getListenerItem(table: Table, tenantId: string, listenerId: string): Promise<Listener> {
  const found = await findListener(table, tenantId, listenerId);
  if (found === undefined) throw refuse('listener_not_found', { id: listenerId });
  return found;
}

/** Namespaces are kept by themselves, for they are looked up. */
export const computeConfigOf = (listener: Listener) => ({
  ...listener.compute_config,
  k8s_namespaces: listener.k8s_namespaces,
});

/** When a listener last called and had work; kept apart so that a call never contends with a transaction. */
export const findSeen = (table: Table, tenantId: string, listenerId: string): Promise<LastSeen | undefined> =>
  find(table, lastSeenKey(tenantId, listenerId), anyLastSeen);

export async function lastSeenOf(
  table: Table,
  tenantId: string,
  listenerId: string,
): Promise<{ listener: Listener | undefined; lastSeenAt: number | undefined }> {
  const [found, seen] = await Promise.all([
    findListener(table, tenantId, listenerId),
    findSeen(table, tenantId, listenerId),
  ]);
  return { listener: found, lastSeenAt: seen?.at };
}

/** A tenant's listeners, oldest first: the list rows hold the whole listener, there are few of them. */
export const listenerRows = (table: Table, tenantId: string, newestFirst = false): AsyncGenerator<Listener> =>
  queryAll(table, anyListener, { pk: listenerRowKey(tenantId, '').pk, newestFirst });

/**
 * What makes the stream wake a function that rings for the listener. It stands on an item from the write that
 * it has to be told of until the listener has asked; a consumer of the stream looks for it.
 */
export const RING = 'ring';

/** Notes when a listener called and had work, and when it calls next. */
export const putSeen = (
  { tenantId, listenerId }: ListenerRef,
  times: Pick<LastSeen, 'at' | 'worked_at' | 'watched' | 'next_seconds'>,
): Write => {
  const set = { v: WRITTEN_VERSION, entity: 'last_seen', tenant_id: tenantId, ...times };
  const gone = [...(times.next_seconds === undefined ? ['next_seconds'] : []), RING];
  return update('last_seen', lastSeenKey(tenantId, listenerId), { set, remove: gone });
};

/** Takes back when the listener calls next: its socket has closed. Demands that it has not called since. */
export const forgetNext = ({ tenantId, listenerId }: ListenerRef, seen: Pick<LastSeen, 'at'>): Write =>
  update(
    'last_seen',
    lastSeenKey(tenantId, listenerId),
    { remove: ['next_seconds'] },
    guard('presence: not called since', equals('at', seen.at)),
  );

/**
 * Has a listener that has called look at what it should run, with its next claim, and rings for it. Demands
 * that it is still there.
 */
export const countChange = ({ tenantId, listenerId }: ListenerRef): Write =>
  update(
    'last_seen',
    lastSeenKey(tenantId, listenerId),
    { set: { v: WRITTEN_VERSION, [RING]: 'changed' }, add: { changes: 1 } },
    present('pk'),
  );
