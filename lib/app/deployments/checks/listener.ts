import { type ApiError, refuse } from '../../../contract/errors.ts';
import { anyListener } from '../../../core/items/any-version.ts';
import type { Listener } from '../../../core/items/items.ts';
import { readItem } from '../../../store/dynamodb/read-item.ts';
import type { Item } from '../../../store/dynamodb/transact.ts';

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
export const isClosing = ({ closing }: Listener): boolean =>
  closing !== undefined && closing.namespaces === undefined;

export const unknownNamespace = (
  { compute_id: computeId, k8s_namespaces: namespaces }: Listener,
  asked: string,
): ApiError =>
  refuse('source_configuration', {
    reason: `'k8s_namespace' '${asked}' is not one of listener ${computeId}'s: ${namespaces.join(', ') || 'none'}.`,
  });
