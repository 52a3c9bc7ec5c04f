import type { DeploymentRef } from '../contract/refs.ts';
import type { AgentFailure } from '../domain/agent-failure.ts';
import type { ComputeSet, Seen } from '../domain/rollout.ts';

/**
 * Wakes the driver of one deployment, which then brings what runs to what shall run. A hint: one that is lost
 * is made up for by sweep, and two at once do no harm.
 */
export type ComputeDriver = { wake(place: DeploymentRef): Promise<void> };

/** What one set of servers is made of: a hash of all of it is its key. */
export type ServerSet = {
  image: string;
  /** `linux/amd64` and the like. */
  platform: string;
  /** Values are secrets: never logged, and never where who may describe a task could read them. */
  environment: readonly { name: string; value: string }[];
  /**
   * Variables that servers get by reference from an item of the installation: `key` is the member there.
   * `version`: of the item.
   */
  shared?: { arn: string; version: string; variables: readonly { name: string; key: string }[] } | undefined;
  /** Processors of one server, as asked for. */
  cpu: number;
  memoryMb: number;
  min: number;
  max: number;
  /** Tags that a person has given. */
  labels: Readonly<Record<string, string>>;
};

/** The revision that a set is brought up for; absent: as it was noted before. */
export type SetNote = { revisionId?: string };

export type FoundSet = Omit<ComputeSet, 'failure'> & {
  /** The revision that it was last brought up for. */
  revisionId: string;
  /** The revision that its servers were started for: what they print goes to its log. */
  startedFor: string;
  /** False: a `create` was cut off before there were servers. */
  isWhole: boolean;
  /** Its removal was begun, and goes on with each `remove`: its servers end, and nothing brings it back. */
  isLeaving: boolean;
};

/** Of what the balancer that all deployments share has only so many. */
export type BalancerParts = { targetGroups: number; rules: number };

/** A deployment as its compute has it; `inUse`: by all deployments. */
export type Found = Omit<Seen, 'sets'> & { sets: FoundSet[]; inUse: BalancerParts };

export type NewSet = ServerSet &
  Required<SetNote> & {
    key: string;
    wanted: number;
    served: boolean;
    /** What a server has begun to answer when it has to go gets so long. */
    graceSeconds: number;
  };

/**
 * Runs sets of servers, each behind a target of its own, and sends a deployment's requests to one of them.
 * Each call may be made again after it was cut off anywhere, and then completes what it has begun. Whatever
 * is there belongs to a set that `look` finds, or is the traffic: so nothing is left once both are gone.
 */
export type Compute = {
  look(place: DeploymentRef): Promise<Found>;
  /** Why servers of a set are missing, where that is known. */
  failureOf(place: DeploymentRef, key: string): Promise<AgentFailure | undefined>;
  /** Gives lines for the deploy log. */
  create(place: DeploymentRef, set: NewSet): Promise<string[]>;
  scale(place: DeploymentRef, key: string, wanted: number): Promise<void>;
  /** Takes its retirement back. */
  revive(place: DeploymentRef, key: string, wanted: number, note: SetNote): Promise<void>;
  /** Notes that the set has served and for which revision, then moves the traffic to it in one write. `name`: the deployment's. */
  move(place: DeploymentRef, key: string, note: SetNote & { name: string }): Promise<void>;
  /** Notes when (epoch milliseconds), and freezes how many servers it has. */
  retire(place: DeploymentRef, key: string, at: number): Promise<void>;
  /** `later`: it is on its way, call again. */
  remove(place: DeploymentRef, key: string): Promise<'done' | 'later'>;
  stopTraffic(place: DeploymentRef): Promise<void>;
  /** How many there may be of what a look finds in use. */
  quotas(): Promise<BalancerParts>;
  /** Where the deployment answers. `name`: the deployment's. */
  address(place: DeploymentRef & { name: string }): string;
};

/** What is asked for cannot be had here, however often it is tried. The message is for a person. */
export class ComputeRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ComputeRefused';
  }
}

/** It cannot be done yet; some time later it can. The message says what it waits for, and the way out. */
export class ComputeBusy extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ComputeBusy';
  }
}
