import type { Units } from '../support/table/consumed.ts';

/** What the cost model multiplies with prices; measured by test/workflow/costs.test.ts. */
export type Counts = {
  /** State transitions of a built revision. */
  transitions: number;
  /** Functions that its execution calls. */
  tasks: number;
  /** Transactions that dispatch hears of: it is called so often at most. */
  heard: number;
  /** Transactions that the second consumer hears of, and the events that it tells. */
  followed: number;
  told: number;
  /**
   * A change of a deployment to DEPLOYED: its request, engine, build events, claim, three heartbeats,
   * completion. Without keys and logs.
   */
  revision: Units;
  /** Who has this key. */
  key: Units;
  /** Requests, their key included. */
  getDeployment: Units;
  getRevision: Units;
  buildLogs: Units;
  desired: Units;
  status: Units;
  /** A claim that finds nothing; the first in 20 s also notes that the listener called. */
  claim: Units;
  claimNoting: Units;
  /** Twenty lines added to a build log. */
  ingest: Units;
  /** A sweep that finds nothing due. */
  sweep: Units;
  /** A sweep's last look at two revisions of a deployment, an hour after they have ended. */
  lastLook: Units;
};
