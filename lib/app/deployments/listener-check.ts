import { type ApiError, refuse } from '../../contract/errors.ts';
import { absent, all, any, check, contains, guard, lacks, present } from '../../store/expressions.ts';
import type { Listener } from '../../store/items.ts';
import { listenerKey } from '../../store/keys.ts';
import { listenerOfAnyVersion } from '../../store/listeners.ts';
import type { Item, Write } from '../../store/operations.ts';

/** The listener is there and takes new deployments, in this namespace of it. */
export function takesDeployments(
  { tenant_id: tenantId, id }: Listener,
  namespace: string | undefined,
): Write {
  const named = present('closing.namespaces');
  const open = namespace === undefined ? named : all(named, lacks('closing.namespaces', namespace));
  return check(
    'listener',
    listenerKey(tenantId, id),
    guard('listener: still there', present('pk')),
    guard('listener: not closing', any(absent('closing'), open)),
    ...(namespace === undefined
      ? []
      : [guard('listener: has the namespace', contains('k8s_namespaces', namespace))]),
  );
}

/** Why it does not; `found` is the listener as it is, if it is. */
export function refusalOf(
  listener: Listener,
  namespace: string | undefined,
  found: Item | undefined,
): ApiError {
  const current = found && listenerOfAnyVersion.parse(found);
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
