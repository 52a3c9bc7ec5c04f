import type { DeploymentRef, ListenerRef } from '../../contract/refs.ts';
import type { SortKeyRange } from '../dynamodb/sort-key-range.ts';
import { type Key, padded } from './index.ts';

// Beside the deployment's own partition: what was measured ends by itself, which costs nothing, and is no
// part of what its deletion has to remove.

const metricsPk = ({ tenantId, deploymentId }: DeploymentRef): string => `T#${tenantId}#ME#${deploymentId}`;
const totalsPk = (tenantId: string): string => `T#${tenantId}#MT`;

/** `quarter`: quarters of an hour since 1970. */
export const quarterKey = (ref: DeploymentRef, quarter: number): Key => ({
  pk: metricsPk(ref),
  sk: `Q#${padded(quarter)}`,
});

/** `hour`: hours since 1970. */
export const metricsHourKey = (ref: DeploymentRef, hour: number): Key => ({
  pk: metricsPk(ref),
  sk: `H#${padded(hour)}`,
});

/** From the first up to the second, both included. */
export const quartersBetween = (from: number, to: number): SortKeyRange => [
  `Q#${padded(from)}`,
  `Q#${padded(to)}`,
];

/** From the first up to the second, both included. */
export const hoursBetween = (from: number, to: number): SortKeyRange => [
  `H#${padded(from)}`,
  `H#${padded(to)}`,
];

/** Those of a tenant lie together. */
export const metricsTotalsKey = ({ tenantId, deploymentId }: DeploymentRef): Key => ({
  pk: totalsPk(tenantId),
  sk: deploymentId,
});

/** The deployment whose totals lie at this key; undefined for any other. */
export function deploymentOfTotals({ pk, sk }: Key): DeploymentRef | undefined {
  const [, tenantId] = /^T#([^#]+)#MT$/.exec(pk) ?? [];
  return tenantId === undefined ? undefined : { tenantId, deploymentId: sk };
}

export const unmeasuredKey = ({ tenantId, listenerId }: ListenerRef): Key => ({
  pk: `T#${tenantId}#L#${listenerId}`,
  sk: 'UNMEASURED',
});
