import { createHash } from 'node:crypto';
import type { Key } from './index.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Addresses may be longer than a key. `name`: as `repositoryName` gives it. */
const repositoryPk = (tenantId: string, name: string): string => `T#${tenantId}#PR#${sha256(name)}`;

export const WATCH_PREFIX = 'D#';
export const HEAD_PREFIX = 'H#';

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
