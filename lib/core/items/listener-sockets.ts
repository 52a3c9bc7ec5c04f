import * as z from 'zod';
import type { ListenerRef } from '../../contract/refs.ts';
import {
  above,
  absent,
  any,
  equals,
  guard,
  present,
  put,
  remove,
  update,
} from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { due } from '../../store/keys/index.ts';
import { listenerPresenceKey } from '../../store/keys/presence.ts';
import { listenerSocketKey, SOCKETS, socketOwnerKey } from '../../store/keys/sockets.ts';
import type { Table } from '../../store/table.ts';

/** The open socket of a run of a listener, as far as is known: by it the listener is told to ask for work. */
export const listenerSocket = z.object({
  v: z.literal(1),
  entity: z.literal('listener_socket'),
  tenant_id: z.string(),
  listener_id: z.string(),
  instance_id: z.string(),
  connection_id: z.string(),
  /** The hash of the key that it was opened with: it is closed when that is revoked. */
  key_hash: z.string(),
  /** Epoch milliseconds. */
  connected_at: z.number(),
  /** Epoch seconds. The gateway has closed it by then. */
  ttl: z.number(),
});
export type ListenerSocket = z.infer<typeof listenerSocket>;

/** Whose socket a connection is. */
export const socketOwner = z.object({
  v: z.literal(1),
  entity: z.literal('socket_owner'),
  tenant_id: z.string(),
  listener_id: z.string(),
  instance_id: z.string(),
  ttl: z.number(),
});

/** API Gateway closes a socket after two hours; the rest is for clocks and for what comes late. */
const SOCKET_SECONDS_MAX = 2 * 3600 + 600;

/** A listener has one program at work, and for a while those that it takes over from. */
export const SOCKETS_MAX = 10;

const refOf = ({ tenant_id, listener_id }: Pick<ListenerSocket, 'tenant_id' | 'listener_id'>) => ({
  tenantId: tenant_id,
  listenerId: listener_id,
});

const keyOf = (socket: ListenerSocket) => listenerSocketKey(refOf(socket), socket.instance_id);

type Opened = { instanceId: string; connectionId: string; keyHash: string; now: number };

/** Notes a socket in place of an earlier one of the same run. */
export function putSocket(
  { tenantId, listenerId }: ListenerRef,
  { instanceId, connectionId, keyHash, now }: Opened,
): Write[] {
  const of = { tenant_id: tenantId, listener_id: listenerId, instance_id: instanceId };
  const ttl = Math.ceil(now / 1000) + SOCKET_SECONDS_MAX;
  const socket: ListenerSocket = {
    v: 1,
    entity: 'listener_socket',
    ...of,
    connection_id: connectionId,
    key_hash: keyHash,
    connected_at: now,
    ttl,
  };
  return [
    put('listener_socket', { ...keyOf(socket), ...socket }),
    put('socket_owner', { ...socketOwnerKey(connectionId), v: 1, entity: 'socket_owner', ...of, ttl }),
  ];
}

const isOver = ({ ttl }: ListenerSocket, now: number): boolean => ttl * 1000 <= now;

/** The socket of a run of a listener; undefined: none is known to be open. */
export async function findSocket(
  table: Table,
  ref: ListenerRef,
  instanceId: string,
  now: number,
): Promise<ListenerSocket | undefined> {
  const found = await find(table, listenerSocketKey(ref, instanceId), listenerSocket);
  return found === undefined || isOver(found, now) ? undefined : found;
}

/** All sockets of a listener that may be open. */
export async function socketsOf(table: Table, ref: ListenerRef, now: number): Promise<ListenerSocket[]> {
  const open: ListenerSocket[] = [];
  const all = { pk: listenerSocketKey(ref, '').pk, between: startingWith(SOCKETS) };
  // DynamoDB removes those that are over some days later.
  for await (const socket of queryAll(table, listenerSocket, all))
    if (!isOver(socket, now)) open.push(socket);
  return open;
}

/** The socket that a connection is or was, with whose it is. */
export async function findSocketOf(
  table: Table,
  connectionId: string,
): Promise<{ ref: ListenerRef; instanceId: string } | undefined> {
  const owner = await find(table, socketOwnerKey(connectionId), socketOwner);
  return owner && { ref: refOf(owner), instanceId: owner.instance_id };
}

export const removeSocketOwner = (connectionId: string): Write =>
  remove('socket_owner', socketOwnerKey(connectionId));

/** Forgets a socket. Demands that the run has not opened another one. */
export const removeSocket = (ref: ListenerRef, instanceId: string, connectionId: string): Write =>
  remove(
    'listener_socket',
    listenerSocketKey(ref, instanceId),
    guard('socket: not a newer one', equals('connection_id', connectionId)),
  );

/**
 * Has sweep look at `at` (epoch milliseconds) whether the listener is online. Demands that it is still known,
 * and that no earlier look is due.
 */
export function lookAtPresenceAt({ tenantId, listenerId }: ListenerRef, at: number): Write {
  const key = listenerPresenceKey(tenantId, listenerId);
  return update(
    'listener_presence',
    key,
    { set: { ...due(key.pk, at) } },
    guard('presence: still known', present('pk')),
    guard('presence: no earlier look', any(absent('due_at'), above('due_at', at))),
  );
}
