import type { CountsRow, MinuteCounts } from '../../contract/deployments/counts.ts';

/** What a driver has measured of a revision since it was asked last. */
export type MeasuredRevision = {
  deploymentId: string;
  deploymentName: string;
  revisionId: string;
  counts: MinuteCounts;
};

export const MINUTE_MILLISECONDS = 60_000;

/** Minutes since 1970. */
export const minuteOf = (milliseconds: number): number => Math.floor(milliseconds / MINUTE_MILLISECONDS);

export const rowOf = ({ deploymentId, revisionId, counts }: MeasuredRevision, minute: number): CountsRow => ({
  deployment_id: deploymentId,
  revision_id: revisionId,
  minute,
  ...counts,
});

export const revisionKey = (row: Pick<CountsRow, 'deployment_id' | 'revision_id'>): string =>
  `${row.deployment_id}/${row.revision_id}`;
