import { createHash } from 'node:crypto';
import type { Key } from './index.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Addresses may be longer than a key. `name`: as `repositoryName` gives it. */
const repositoryPk = (tenantId: string, name: string): string => `T#${tenantId}#PR#${sha256(name)}`;

export const WATCH_PREFIX = 'D#';
export const HEAD_PREFIX = 'H#';

/** Beside the watches of the repository. `deliveryId`: of the delivery's record. */
export const awaitedKey = (pk: string, deploymentId: string, deliveryId: string): Key => ({
  pk,
  sk: `${awaitedPrefix(deploymentId)}${deliveryId}`,
});
export const awaitedPrefix = (deploymentId: string): string => `P#${deploymentId}#`;

export const watchKey = (tenantId: string, name: string, deploymentId: string): Key => ({
  pk: repositoryPk(tenantId, name),
  sk: `${WATCH_PREFIX}${deploymentId}`,
});

/** Without an integration the repository is asked as anybody may. */
export const headKey = (tenantId: string, name: string, integrationId: string | undefined): Key => ({
  pk: repositoryPk(tenantId, name),
  sk: `${HEAD_PREFIX}${integrationId ?? '-'}`,
});

/** The partition of the index `due` with the repositories whose heads are to be asked. */
export const HEADS_DUE = 'due#heads';

export const integrationOwnerKey = (integrationId: string): Key => ({ pk: `IN#${integrationId}`, sk: 'A' });

const deliveriesPk = (tenantId: string, integrationId: string): string => `T#${tenantId}#PD#${integrationId}`;

export const DELIVERY_PREFIX = 'L#';

/** `id`: of the record, which is listed by its time. */
export const deliveryKey = (tenantId: string, integrationId: string, id: string): Key => ({
  pk: deliveriesPk(tenantId, integrationId),
  sk: `${DELIVERY_PREFIX}${id}`,
});

/** `deliveryId`: as the host names it, which may be anything. */
export const deliveryMarkKey = (tenantId: string, integrationId: string, deliveryId: string): Key => ({
  pk: deliveriesPk(tenantId, integrationId),
  sk: `I#${sha256(deliveryId)}`,
});
