import { type Key, listenerKey, prefix } from './index.ts';

/** What should run on a listener of a deployment. */
export const placementKey = (tenantId: string, listenerId: string, deploymentId: string): Key => ({
  pk: listenerKey(tenantId, listenerId).pk,
  sk: `${prefix.placement}${deploymentId}`,
});

/** Eight, so that deployments which change at the same moment seldom meet at one of them. */
const VERSIONS = 8;

export const placementVersionKeys = (tenantId: string, listenerId: string): Key[] =>
  Array.from({ length: VERSIONS }, (_, share) => ({
    pk: listenerKey(tenantId, listenerId).pk,
    sk: `${prefix.placementVersion}${share}`,
  }));

export const placementsReportedKey = (tenantId: string, listenerId: string): Key => ({
  pk: listenerKey(tenantId, listenerId).pk,
  sk: `${prefix.placementVersion}REPORTED`,
});
