import { computeKinds } from '../../compute/kinds.ts';
import { podSecurityOf } from '../../contract/pod-security.ts';
import type { Deps } from '../../core/deps.ts';
import { findComputeUse } from '../../core/items/compute-use.ts';
import type { Listener } from '../../core/items/items.ts';
import { computeConfigOf, findSeen } from '../../core/items/listeners.ts';
import { isOnline, type Sighting } from '../../core/online.ts';
import type { Table } from '../../store/table.ts';
import type { ListenerView } from './shape.ts';

const PRIVILEGED =
  'pod_security is privileged: whoever may deploy to this listener can become root on a node of its cluster. Set compute_config.pod_security to baseline or restricted; what runs stays as it is.';

/** A listener that was registered before there was a choice has no `pod_security`. */
const warningsOf = ({ compute_type: type, compute_config: config }: Listener): string[] =>
  computeKinds[type].isCluster && podSecurityOf(config) === 'privileged' ? [PRIVILEGED] : [];

/** `seen`: when it last called. `capacity`: as `capacityOf` gives it. */
export function listenerViewOf(
  listener: Listener,
  { seen, now, capacity }: { seen: Sighting | undefined; now: number; capacity: ListenerView['capacity'] },
): ListenerView {
  const isThere = computeKinds[listener.compute_type].isManaged || isOnline(seen, now);
  const status = isThere ? 'ONLINE' : 'OFFLINE';
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
    last_seen_at: seen === undefined ? null : new Date(seen.at).toISOString(),
    status: seen === undefined && !isThere ? 'NEVER_SEEN' : status,
    warnings: warningsOf(listener),
    capacity,
  };
}

/**
 * How full the compute behind a listener is, where it has a ceiling that the installation counts: that of its
 * own agents. Null: it has none, or nothing has been counted yet.
 */
export async function capacityOf(
  table: Table,
  { compute_type: type }: Listener,
): Promise<ListenerView['capacity']> {
  const use = computeKinds[type].isManaged ? await findComputeUse(table) : undefined;
  if (use === undefined) return null;
  const { target_groups, rules, at } = use;
  return { target_groups, rules, counted_at: new Date(at).toISOString() };
}

/** A listener with when it last called and how full it is, read now. */
export async function currentViewOf(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  listener: Listener,
): Promise<ListenerView> {
  const seen = await findSeen(table, listener.tenant_id, listener.id);
  const capacity = await capacityOf(table, listener);
  return listenerViewOf(listener, { seen, now: clock.now(), capacity });
}
