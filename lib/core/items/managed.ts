import { createHash } from 'node:crypto';
import { type ManagedComputeType, managedComputeKinds } from '../../compute/kinds.ts';
import { refuse } from '../../contract/errors.ts';
import type { Listener } from './items.ts';

// The listener of the compute that the installation runs itself: one a tenant, without a key. Nothing asks
// for work in its name; the engine wakes a driver for each deployment on it.

/**
 * Its id, made of its tenant's: so it is known of every deployment and task whether it is managed, and nobody
 * else pays a read for that. It sorts by the age of its tenant (UUIDv8).
 */
export function managedListenerId(tenantId: string): string {
  const hash = createHash('sha256').update(`managed listener of ${tenantId}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hash.charAt(3), 16) % 4] ?? '8';
  return `${tenantId.slice(0, 13)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

type OnListener = { tenant_id: string; listener_id: string };

/** Whether the installation itself runs what is on this listener. */
export const isManaged = ({ tenant_id, listener_id }: OnListener): boolean =>
  listener_id === managedListenerId(tenant_id);

/** Seconds a claim or a heartbeat keeps a task; a listener that says nothing for so long has lost it. */
export const LEASE_SECONDS = 60;

/**
 * A driver runs a minute at most, and sweep wakes the next: its lease is long enough for a few that fail, or
 * that AWS lets wait.
 */
const MANAGED_LEASE_SECONDS = 900;

/** How long a claim or a heartbeat keeps a task of this listener. */
export const leaseSecondsOf = (task: OnListener): number =>
  isManaged(task) ? MANAGED_LEASE_SECONDS : LEASE_SECONDS;

/** The managed listener of a tenant as it is made. */
export const newManagedListener = (type: ManagedComputeType, tenantId: string, now: number): Listener => ({
  v: 2,
  entity: 'listener',
  tenant_id: tenantId,
  id: managedListenerId(tenantId),
  compute_type: type,
  compute_id: managedComputeKinds[type].computeId,
  k8s_namespaces: [],
  compute_config: { platforms: [...managedComputeKinds[type].platforms] },
  is_default: false,
  created_at: new Date(now).toISOString(),
  updated_at: new Date(now).toISOString(),
});

/**
 * The managed listener goes with its tenant, and nobody speaks for it. An installation has one kind of it, so
 * the refusal does not read which one.
 */
export function checkNotManaged(listener: OnListener): void {
  if (!isManaged(listener)) return;
  const kinds = Object.values(managedComputeKinds);
  const either = (names: string[]) => names.join(' or ');
  throw refuse('state_forbids', {
    reason: `Listener ${either(kinds.map(({ computeId }) => computeId))} is part of this installation, which runs agents on ${either(kinds.map(({ name }) => name))} itself: it is not deleted and has no keys. Register a listener of your own with POST /v2/listeners.`,
  });
}
