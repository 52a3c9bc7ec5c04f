import { createHash } from 'node:crypto';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { EcsOptions } from './options.ts';

// The target group of a set is its anchor: it is made first and removed last, so whatever was cut off is
// found by it. What is noted of a set are tags of it.

const HASH_LENGTH = 16;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Names of target groups have 32 characters at most. */
export const targetGroupPrefix = ({ tenantId, deploymentId }: DeploymentRef): string =>
  `sw-${digest(`${tenantId}/${deploymentId}`).slice(0, HASH_LENGTH)}-`;

export const targetGroupName = (place: DeploymentRef, key: string): string =>
  `${targetGroupPrefix(place)}${key}`;

/** Names the service and the family of task definitions of a set: events of both carry its ids. */
export const serviceName = ({ tenantId, deploymentId }: DeploymentRef, key: string): string =>
  `slipway_${tenantId}_${deploymentId}_${key}`;

const SERVICE = /^slipway_([^_]+)_([^_]+)_[^_]+$/;

/** The deployment of a service or of a family, by its name or ARN; undefined for one of somebody else. */
export function placeOfService(name: string): DeploymentRef | undefined {
  const [, tenantId, deploymentId] = SERVICE.exec(name.split('/').at(-1)?.split(':')[0] ?? '') ?? [];
  return tenantId === undefined || deploymentId === undefined ? undefined : { tenantId, deploymentId };
}

export const tags = {
  /** Of the installation that has made it: its driver may change no other. */
  cluster: 'slipway:cluster',
  tenant: 'slipway:tenant',
  deployment: 'slipway:deployment',
  set: 'slipway:set',
  revision: 'slipway:revision',
  /** The revision whose id is in the names of its log streams. */
  startedFor: 'slipway:started-for',
  served: 'slipway:served',
  retiredAt: 'slipway:retired-at',
  leaving: 'slipway:leaving',
  /** Its scaler is there. */
  scaled: 'slipway:scaled',
  /** How many secrets hold its variables. */
  secrets: 'slipway:secrets',
  cpu: 'slipway:cpu',
  memoryMb: 'slipway:memory-mb',
  platform: 'slipway:platform',
  min: 'slipway:min',
  max: 'slipway:max',
} as const;

export const placeTags = (
  { cluster }: Pick<EcsOptions, 'cluster'>,
  { tenantId, deploymentId }: DeploymentRef,
  key: string,
): Record<string, string> => ({
  [tags.cluster]: cluster,
  [tags.tenant]: tenantId,
  [tags.deployment]: deploymentId,
  [tags.set]: key,
});
