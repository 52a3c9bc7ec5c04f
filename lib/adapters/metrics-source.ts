import type { Unmeasured } from '../contract/deployments/counts.ts';
import type { MetricsPoint } from '../contract/deployments/metrics.ts';
import type { DeploymentRef } from '../contract/refs.ts';

export type MetricsQuery = DeploymentRef & {
  /** Of the deployment. */
  name: string;
  /** The revisions that served in this time, the newest first, at most eight. */
  revisions: readonly { id: string; number: number }[];
  /** Epoch milliseconds, multiples of the step: from the first up to the second, which is left out. */
  from: number;
  to: number;
  stepSeconds: number;
};

export type MetricsAnswer = {
  missing: Unmeasured[];
  /**
   * Ascending by `at` (ISO 8601 UTC, the beginning of a step), none for a step of which nothing is known. A
   * revision of which nothing is known may be left out.
   */
  revisions: { revision_id: string; points: MetricsPoint[] }[];
  /** Of all servers of what serves together; null: not known. */
  limits: { cpu_limit: number | null; memory_limit: number | null };
};

/**
 * Measures what the installation runs itself, where somebody else counts: asked only when somebody looks, and
 * its answers may be a minute old.
 */
export type MetricsSource = { read(query: MetricsQuery): Promise<MetricsAnswer> };
