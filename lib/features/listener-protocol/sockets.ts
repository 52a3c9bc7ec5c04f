import { refuse } from '../../contract/errors.ts';
import type { ListenerRef } from '../../contract/refs.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { hasItsRule, isUsable } from '../../core/identity/authenticate.ts';
import { findApiKey } from '../../core/items/api-keys.ts';
import {
  findSocketOf,
  type ListenerSocket,
  lookAtPresenceAt,
  putSocket,
  removeSocket,
  removeSocketOwner,
  SOCKETS_MAX,
  socketsOf,
} from '../../core/items/listener-sockets.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import { ONLINE_MILLISECONDS } from '../../core/online.ts';
import { ConditionsFailed, transact, type Write } from '../../store/dynamodb/transact.ts';

/**
 * What goes over a socket: nothing that says what there is. Whoever reads it learns that a listener may have
 * work, and the listener asks for that with its key as ever.
 */
export const RING_TEXT = JSON.stringify({ type: 'ring' });

const TOO_MANY = `${SOCKETS_MAX} programs of this listener have a socket open: that is the limit.`;

type SocketDeps = Pick<Deps, 'table' | 'clock'>;
type Opening = { listenerId: string; instanceId: string; connectionId: string; keyHash: string };

/**
 * A run of a listener opens the socket by which it wants to be rung, in place of the one that it had. Throws
 * `listener_not_found`, and `state_forbids` where as many runs as may be have one.
 */
export async function openSocket(
  { table, clock, sockets }: SocketDeps & Pick<Deps, 'sockets'>,
  { listenerId, ...opened }: Opening,
  { tenantId }: Pick<Caller, 'tenantId'>,
): Promise<void> {
  const ref = { tenantId, listenerId };
  await getListenerItem(table, tenantId, listenerId);
  const open = await socketsOf(table, ref, clock.now());
  const replaced = open.find(({ instance_id: instanceId }) => instanceId === opened.instanceId);
  if (replaced === undefined && open.length >= SOCKETS_MAX)
    throw refuse('state_forbids', { reason: TOO_MANY });
  await transact(table, putSocket(ref, { ...opened, now: clock.now() }));
  // It is rung no more. Should that fail, it ends by itself like any other.
  if (replaced !== undefined) await sockets.close(replaced.connection_id).catch(() => undefined);
}

/**
 * A socket has closed. That says nothing of its listener, which may be back already with another one: sweep
 * looks, once a listener that is alive has asked again.
 */
export async function forgetSocket({ table, clock }: SocketDeps, connectionId: string): Promise<void> {
  const found = await findSocketOf(table, connectionId);
  if (found === undefined) return;
  const { ref, instanceId } = found;
  const wasLast = await unlessLost(table, [removeSocket(ref, instanceId, connectionId)]);
  if (wasLast) await unlessLost(table, [lookAtPresenceAt(ref, clock.now() + ONLINE_MILLISECONDS)]);
  await transact(table, [removeSocketOwner(connectionId)]);
}

/** False: it is not as these writes demand. */
async function unlessLost(table: SocketDeps['table'], writes: Write[]): Promise<boolean> {
  try {
    await transact(table, writes);
    return true;
  } catch (error) {
    if (error instanceof ConditionsFailed) return false;
    throw error;
  }
}

/**
 * Until then the gateway may not have finished to open a socket that is noted already: the listener claims
 * once it is open.
 */
const OPENING_MILLISECONDS = 60_000;

/**
 * Rings at the sockets of a listener, whatever there is for it, and closes those whose key may not be used
 * any more. Best effort: what a lost ring told of is found by the listener's next claim.
 */
export async function ring(deps: SocketDeps & Pick<Deps, 'sockets'>, ref: ListenerRef): Promise<void> {
  const open = await socketsOf(deps.table, ref, deps.clock.now());
  const rings = await Promise.allSettled(open.map((socket) => ringAt(deps, socket)));
  for (const rung of rings) if (rung.status === 'rejected') throw rung.reason;
}

async function ringAt(deps: SocketDeps & Pick<Deps, 'sockets'>, socket: ListenerSocket): Promise<void> {
  const { connection_id: connectionId, connected_at: connectedAt } = socket;
  if (!(await isAllowed(deps, socket))) {
    await deps.sockets.close(connectionId);
    return forgetSocket(deps, connectionId);
  }
  const answer = await deps.sockets.send(connectionId, RING_TEXT);
  const isOpening = deps.clock.now() - connectedAt < OPENING_MILLISECONDS;
  if (answer === 'gone' && !isOpening) await forgetSocket(deps, connectionId);
}

async function isAllowed({ table, clock }: SocketDeps, { key_hash }: ListenerSocket): Promise<boolean> {
  const key = await findApiKey(table, key_hash);
  return key !== undefined && isUsable(key, clock.now()) && (await hasItsRule({ table }, key));
}
