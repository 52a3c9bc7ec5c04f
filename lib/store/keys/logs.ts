import { deploymentPk, type Key } from './index.ts';

const TIME_DIGITS = 15;

/** A chunk of log lines, by the epoch milliseconds of its last line, so that a query can begin at a time. */
export const logChunkKey = (
  tenantId: string,
  deploymentId: string,
  type: 'build' | 'deploy',
  lastTimestamp: number,
): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `LOG#${type}#${String(lastTimestamp).padStart(TIME_DIGITS, '0')}`,
});

export const logEndKey = (tenantId: string, deploymentId: string, type: 'build' | 'deploy'): Key => ({
  pk: deploymentPk(tenantId, deploymentId),
  sk: `LOGEND#${type}`,
});
