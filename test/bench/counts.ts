import type { Units } from '../support/table/consumed.ts';
import type { ScheduleName } from './schedules.ts';

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
  /** What it leaves in the table, logs apart. */
  keptBytes: number;
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
  /** What ten reports that are known already add to a claim. */
  knownReports: Units;
  /** Twenty lines added to a build log. */
  ingest: Units;
  /** Writing down that a key was used in another hour. */
  keyUse: Units;
  /** A run of each schedule that finds nothing due. */
  schedules: Record<ScheduleName, Units>;
  /** A sweep's look at a listener that is online. */
  presence: Units;
  /** An event of a deployment, numbered and stored in the feed of its tenant; and delivered to one webhook. */
  fed: Units;
  delivered: Units;
  /** A worker's look at a webhook for which there is nothing. */
  webhookLook: Units;
  /** A sweep's last look at two revisions of a deployment, an hour after they have ended. */
  lastLook: Units;
};
