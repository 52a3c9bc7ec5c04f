// Whose an item is, told from the key that comes with a record of the stream or of the index.

import type { DeploymentRef } from '../../contract/refs.ts';

/** The number of the revision that this sort key is of; undefined for any other sort key. */
export const revisionNumberIn = (sk: string): number | undefined =>
  /^R#\d+$/.test(sk) ? Number(sk.slice('R#'.length)) : undefined;

/** The deployment that an item of its partition belongs to; undefined for any other item. */
export const deploymentOf = (pk: string): DeploymentRef | undefined => ownerIn(/^T#([^#]+)#D#([^#]+)$/, pk);

/** The deployment whose events lie in this partition; undefined for any other partition. */
export const deploymentOfEvents = (pk: string): DeploymentRef | undefined =>
  ownerIn(/^T#([^#]+)#E#([^#]+)$/, pk);

function ownerIn(pattern: RegExp, pk: string): DeploymentRef | undefined {
  const [, tenantId, deploymentId] = pattern.exec(pk) ?? [];
  return tenantId === undefined || deploymentId === undefined ? undefined : { tenantId, deploymentId };
}

/** The webhook that this partition holds deliveries of; undefined for any other partition. */
export function webhookOf(pk: string): { tenantId: string; webhookId: string } | undefined {
  const [, tenantId, webhookId] = /^T#([^#]+)#W#([^#]+)$/.exec(pk) ?? [];
  return tenantId === undefined || webhookId === undefined ? undefined : { tenantId, webhookId };
}

/** The delivery to a webhook that this sort key is of; undefined for any other sort key. */
export const deliveryIdIn = (sk: string): string | undefined =>
  sk.startsWith('D#') ? sk.slice('D#'.length) : undefined;
