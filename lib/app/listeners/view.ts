import { computeKinds } from '../../compute/kinds.ts';
import type { ListenerView } from '../../contract/listener-views.ts';
import { podSecurityOf } from '../../contract/pod-security.ts';
import type { Listener } from '../../core/items/items.ts';
import { isOnline } from '../../core/online.ts';

/** Namespaces are kept by themselves, for they are looked up. */
export const computeConfigOf = (listener: Listener) => ({
  ...listener.compute_config,
  k8s_namespaces: listener.k8s_namespaces,
});

const PRIVILEGED =
  'pod_security is privileged: whoever may deploy to this listener can become root on a node of its cluster. Set compute_config.pod_security to baseline or restricted; what runs stays as it is.';

/** A listener that was registered before there was a choice has no `pod_security`. */
const warningsOf = ({ compute_type: type, compute_config: config }: Listener): string[] =>
  computeKinds[type].isCluster && podSecurityOf(config) === 'privileged' ? [PRIVILEGED] : [];

export function toListenerView(
  listener: Listener,
  {
    lastSeenAt,
    now,
    capacity,
  }: { lastSeenAt: number | undefined; now: number; capacity: ListenerView['capacity'] },
): ListenerView {
  const isThere = computeKinds[listener.compute_type].isManaged || isOnline(lastSeenAt, now);
  const seen = isThere ? 'ONLINE' : 'OFFLINE';
  return {
    id: listener.id,
    compute_type: listener.compute_type,
    compute_id: listener.compute_id,
    compute_config: computeConfigOf(listener),
    created_at: listener.created_at,
    updated_at: listener.updated_at,
    version: listener.version ?? null,
    platform: listener.platform ?? null,
    is_default: listener.is_default,
    last_seen_at: lastSeenAt === undefined ? null : new Date(lastSeenAt).toISOString(),
    status: lastSeenAt === undefined && !isThere ? 'NEVER_SEEN' : seen,
    warnings: warningsOf(listener),
    capacity,
  };
}
