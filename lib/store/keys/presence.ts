import type { ListenerRef } from '../../contract/refs.ts';
import { deploymentPk, type Key } from './index.ts';

export const deploymentHealthKey = (tenantId: string, deploymentId: string): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: 'HEALTH',
});

export const threadsKey = (tenantId: string, deploymentId: string): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: 'THREADS',
});

export const threadsNewsKey = (tenantId: string, deploymentId: string): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: 'THREADS#NEWS',
});

const PRESENCE = 'PRESENCE';

export const listenerPresenceKey = (tenantId: string, listenerId: string): Key => ({
  pk: `T#${tenantId}#L#${listenerId}`,
  sk: PRESENCE,
});

/** The listener whose presence lies at this key; undefined for any other. */
export function presentListener({ pk, sk }: Key): ListenerRef | undefined {
  const [, tenantId, listenerId] = /^T#([^#]+)#L#([^#]+)$/.exec(pk) ?? [];
  if (sk !== PRESENCE || tenantId === undefined || listenerId === undefined) return undefined;
  return { tenantId, listenerId };
}
