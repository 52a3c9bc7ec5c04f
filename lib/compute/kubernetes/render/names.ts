import { withoutTrailing } from '../../../contract/trailing.ts';

export { labels } from '../../../domain/kubernetes/labels.ts';

/** The value of `app.kubernetes.io/managed-by` on everything that a listener makes. */
export const MANAGED_BY = 'slipway';

/** Annotations: what a listener keeps in the cluster, for it keeps nothing itself. */
export const annotations = {
  epoch: 'slipway.dev/epoch',
  revision: 'slipway.dev/revision',
  lease: 'slipway.dev/lease',
  /** The set has had the traffic: it may hold requests. */
  served: 'slipway.dev/served',
  retiredAt: 'slipway.dev/retired-at',
  grace: 'slipway.dev/grace-seconds',
  deploymentName: 'slipway.dev/deployment-name',
  address: 'slipway.dev/address',
  /** How the pod of a store is made. */
  store: 'slipway.dev/store',
  /** The Gateway that does not take the timeouts of its HTTPRoute. */
  timeoutsRefused: 'slipway.dev/timeouts-refused-by',
  /** A hash of what was rendered: what is not rendered any more shows in it. */
  rendered: 'slipway.dev/rendered',
} as const;

/** What a pod of a deployment is for. */
export type Component = 'server' | 'queue' | 'redis' | 'postgres';

/**
 * A StatefulSet's pods carry its name, `-` and ten characters in a label of at most 63, and the database's
 * name is three longer than the base. So no base is longer.
 */
const BASE_LENGTH_MAX = 49;
/** The last ones are random in every version of UUID; the first are a time. */
const ID_DIGITS = 8;

/**
 * The name that all of a deployment's objects begin with: a DNS label that begins with a letter, as a Service
 * needs it. The digits of the id keep `a_b` and `a-b` apart, and the deployments of two tenants.
 */
export function baseName(deploymentName: string, deploymentId: string): string {
  const digits = deploymentId.toLowerCase().replaceAll('-', '').slice(-ID_DIGITS);
  const label = deploymentName.replaceAll('_', '-');
  const lettered = /^[a-z]/.test(label) ? label : `d-${label}`;
  const cut = withoutTrailing(lettered.slice(0, BASE_LENGTH_MAX - ID_DIGITS - 1), '-');
  return `${cut}-${digits}`;
}

/** A set's own name: of its Deployment, Secret, trial Service, autoscaler and disruption budget. */
export const setName = (base: string, key: string): string => `${base}-${key}`;

/** The name of the objects of a set's queue workers; `queue` would be too long for a label. */
export const queueName = (base: string, key: string): string => `${setName(base, key)}-q`;

export const redisName = (base: string): string => `${base}-redis`;
export const postgresName = (base: string): string => `${base}-db`;
