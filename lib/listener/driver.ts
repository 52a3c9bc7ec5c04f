import type { Unmeasured } from '../contract/deployments/counts.ts';
import type { LogLevel } from '../contract/log-level.ts';
import { OUTPUT_FOLLOWS } from '../domain/agent-failure.ts';
import type { DeploySpec, StatusRequest } from '../features/listener-protocol/shape.ts';
import type { MeasuredRevision } from './counts/measured.ts';

export type StatusReport = StatusRequest['reports'][number];

/** What a driver may ask of whoever gave it a deployment to apply. */
export type DeployHooks = {
  /** Fires when the work must stop; nothing may be switched afterwards. */
  signal: AbortSignal;
  /** A line for the revision's deploy log. */
  say: (message: string, level?: LogLevel) => void;
  /** What the revision waits for just now, for people to read; undefined: for nothing in particular. */
  waitsFor: (reason: string | undefined) => void;
  /** Announces that traffic is about to move. False: do not, stop what was started. */
  announceSwitch: () => Promise<boolean>;
};

export type DeployResult =
  /** `remark`: what a person should know although it runs. */
  | { outcome: 'succeeded'; url: string; imageVersion?: string; remark?: string }
  | { outcome: 'failed'; message: string; previousServing: boolean }
  | { outcome: 'stopped' };

/** The reason alone. */
export function reasonOf(message: string): string {
  const [reason = ''] = message.split('\n', 1);
  return reason.endsWith(OUTPUT_FOLLOWS) ? reason.slice(0, -OUTPUT_FOLLOWS.length) : reason;
}

/**
 * What becomes of the data of a deployment that is removed. `as-usual`: what the compute does where only its
 * row is gone. `deleted`: the deployment itself is deleted, volumes and databases too; a dump may stay for
 * some days. `deleted-at-once`: none stays.
 */
export type DataFate = 'as-usual' | 'deleted' | 'deleted-at-once';

/** Runs deployments on one kind of compute. Different deployments never wait for each other. */
export type Driver = {
  /** As many tasks are worked on at once. */
  readonly tasksAtOnce: number;
  /** Learns what runs already. Nothing else is asked of it before. */
  start(): Promise<void>;
  /** Brings up what the spec says beside what serves now and switches to it. Never rejects. */
  deploy(spec: DeploySpec, hooks: DeployHooks): Promise<DeployResult>;
  /**
   * The outcome of the deployment's `deploy` was reported: what served before a success may be retired. Not
   * `accepted`: the task had ended, or the report did not arrive. What shall run then is said later.
   */
  reported(deploymentId: string, accepted: boolean): Promise<void>;
  /** Keeps the deployment at this spec, trying again until it serves. */
  keepRunning(spec: DeploySpec): void;
  /**
   * Stops and removes everything of a deployment. With `epoch` that much is remembered and reported, else
   * nothing. `data`: what becomes of what the deployment keeps.
   */
  remove(deploymentId: string, epoch?: number, data?: DataFate): Promise<void>;
  /** Takes note that the running revision belongs to this epoch now. */
  confirm(deploymentId: string, epoch: number): Promise<void>;
  /** The deployment's own address from now on, whichever revision runs; null: it has none. */
  setAddress(deploymentId: string, url: string | null): void;
  /**
   * Threads that wait in these revisions shall go on with what serves, and no others any more: all that was
   * asked for before is in the list, until no thread waits there. Said again at each look, so it returns at
   * once and tries again by itself. Absent: this compute pins no threads.
   */
  releaseThreads?(deploymentId: string, revisionIds: readonly string[]): void;
  /** Takes note of the listener's own compute_config, as the control plane has it now. */
  configure?(computeConfig: object): void;
  /** The deployments that have compute here or had it before a restart. */
  deploymentIds(): string[];
  /** The revision that serves, or is being kept running. */
  runningRevision(deploymentId: string): string | undefined;
  epochOf(deploymentId: string): number | undefined;
  reports(): StatusReport[];
  /**
   * What was measured of each revision that has servers, or shall have, since this was asked last. What is
   * counted is taken first of all, so that it is of the minute that has just ended.
   */
  measure(): Promise<MeasuredRevision[]>;
  /** What cannot be measured of any deployment here, and why. */
  unmeasured(): Unmeasured[];
  /** Stops what this program has started on its own machine. Compute of a cluster is left running. */
  close(graceMilliseconds: number): Promise<void>;
};
