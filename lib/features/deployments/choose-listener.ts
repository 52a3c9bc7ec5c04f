import { computeKinds, computeWords, imageTypes } from '../../compute/kinds.ts';
import { type ApiError, refuse } from '../../contract/errors.ts';
import type { Source } from '../../contract/revision-status.ts';
import type { Deps } from '../../core/deps.ts';
import { anyListener } from '../../core/items/any-version.ts';
import type { Listener } from '../../core/items/items.ts';
import { createListenerWrites } from '../../core/items/listener-writes.ts';
import { findListener, findSeen, listenerRows } from '../../core/items/listeners.ts';
import { managedListenerId, newManagedListener } from '../../core/items/managed.ts';
import { isOnline } from '../../core/online.ts';
import { canRun } from '../../domain/source.ts';
import { countOneMore } from '../../store/counts.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { readItem } from '../../store/dynamodb/read-item.ts';
import { ConditionsFailed, type Item, transact } from '../../store/dynamodb/transact.ts';

type ChoiceDeps = Pick<Deps, 'table' | 'clock' | 'settings'>;

type Wish = {
  listener_id?: string | undefined;
  listener_config?: { k8s_namespace?: string | undefined } | undefined;
};

/**
 * The listener a new deployment will run on, and the namespace there: the one asked for, else the marked
 * default, else the oldest that is online, else the oldest, among those that can run such a source.
 */
export async function chooseListener(
  deps: ChoiceDeps,
  tenantId: string,
  source: Source,
  wish: Wish,
): Promise<{ listener: Listener; namespace: string | undefined }> {
  const listener =
    wish.listener_id === undefined
      ? await defaultListener(deps, tenantId, source)
      : await namedListener(deps, tenantId, source, wish.listener_id);
  return { listener, namespace: namespaceOn(listener, wish.listener_config?.k8s_namespace) };
}

async function namedListener(
  deps: ChoiceDeps,
  tenantId: string,
  source: Source,
  id: string,
): Promise<Listener> {
  const found = await findListener(deps.table, tenantId, id);
  const isMissing = found === undefined && id === managedListenerId(tenantId);
  const [listener] = isMissing ? await withManaged(deps, tenantId, []) : [found];
  if (listener === undefined) throw refuse('listener_not_found', { id });
  if (!canRun(listener.compute_type, source)) throw cannotRun(listener, source);
  return listener;
}

const cannotRun = (listener: Listener, source: Source): Error =>
  refuse('source_configuration', {
    reason: `listener ${listener.compute_id} ${computeWords[listener.compute_type].does} and cannot run images, which source '${source}' gives; a listener of compute_type ${imageTypes} would, or deploy from source ('github').`,
  });

async function defaultListener(deps: ChoiceDeps, tenantId: string, source: Source): Promise<Listener> {
  const rows = await collected(listenerRows(deps.table, tenantId));
  const all = (await withManaged(deps, tenantId, rows)).filter((listener) => !isClosing(listener));
  // The managed one sorts as its tenant does, whenever it was made.
  all.sort((one, other) => one.created_at.localeCompare(other.created_at));
  const able = all.filter((listener) => canRun(listener.compute_type, source));
  const [oldest] = able;
  if (oldest === undefined) throw none(all, source);
  return able.find((listener) => listener.is_default) ?? (await firstOnline(deps, able)) ?? oldest;
}

async function firstOnline(
  deps: Pick<Deps, 'table' | 'clock'>,
  listeners: Listener[],
): Promise<Listener | undefined> {
  for (const listener of listeners) {
    if (computeKinds[listener.compute_type].isManaged) return listener;
    const seen = await findSeen(deps.table, listener.tenant_id, listener.id);
    if (isOnline(seen, deps.clock.now())) return listener;
  }
  return undefined;
}

function none(all: Listener[], source: Source): Error {
  if (all.length === 0) {
    const why = 'no listener is registered in this tenant; register one with POST /v2/listeners.';
    return refuse('listener_required', { why });
  }
  const why = `no registered listener can run source '${source}': they run processes, and an image needs a listener of compute_type ${imageTypes}.`;
  return refuse('listener_required', { why });
}

function namespaceOn(listener: Listener, asked: string | undefined): string | undefined {
  if (asked === undefined) return listener.k8s_namespaces[0];
  if (listener.k8s_namespaces.includes(asked)) return asked;
  throw unknownNamespace(listener, asked);
}

/**
 * A tenant's listeners with the managed one among them. New tenants are made with it; one that was there
 * before the installation managed anything gets it here, at the first deployment after. It stays without one
 * where a listener of its own has the name.
 */
async function withManaged(
  { table, clock, settings }: Pick<Deps, 'table' | 'clock' | 'settings'>,
  tenantId: string,
  listeners: Listener[],
): Promise<Listener[]> {
  const isThere = listeners.some(({ id }) => id === managedListenerId(tenantId));
  if (settings.managedCompute === undefined || isThere) return listeners;
  const made = newManagedListener(settings.managedCompute, tenantId, clock.now());
  try {
    await transact(table, [...createListenerWrites(made), countOneMore({ tenantId }, 'listeners')]);
    return [...listeners, made];
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    return error.failed.has('listener') ? [...listeners, made] : listeners;
  }
}

/**
 * Why a listener takes no new deployment, in this namespace of it; `found` is the listener as it is, if it
 * is.
 */
export function listenerRefusalOf(
  listener: Listener,
  namespace: string | undefined,
  found: Item | undefined,
): ApiError {
  const current = found && readItem(anyListener, found);
  if (current === undefined) return refuse('listener_not_found', { id: listener.id });
  const { compute_id: computeId } = current;
  if (namespace === undefined || isClosing(current)) return refuse('listener_closing', { computeId });
  if (!current.k8s_namespaces.includes(namespace)) return unknownNamespace(current, namespace);
  return refuse('namespace_closing', { namespace, computeId });
}

/** All of it, not only some of its namespaces. */
const isClosing = ({ closing }: Listener): boolean =>
  closing !== undefined && closing.namespaces === undefined;

const unknownNamespace = (
  { compute_id: computeId, k8s_namespaces: namespaces }: Listener,
  asked: string,
): ApiError =>
  refuse('source_configuration', {
    reason: `'k8s_namespace' '${asked}' is not one of listener ${computeId}'s: ${namespaces.join(', ') || 'none'}.`,
  });
