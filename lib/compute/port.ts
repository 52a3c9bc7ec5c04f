import type { AgentFailure } from '../domain/agent-failure.ts';
import type { ComputeSet, Traffic } from '../domain/rollout.ts';

/** What shall run of a deployment. Each compute adds what it makes servers from. */
export type Plan = {
  revisionId: string;
  /** Key of a set with this content, and of another one with the same content: a restart. */
  keys: { plain: string; fresh: string };
  /** A task asks for it: what another revision serves already is started anew. */
  byTask: boolean;
  min: number;
  max: number;
  /** What a server has begun to answer when it has to go gets so long. */
  graceMilliseconds: number;
  /** Why no set can be made of it, while one that is there goes on. */
  hindrance?: string | undefined;
  /** What a person reads in the deploy log once a set of it was made. */
  remarks?: readonly string[];
};

/** A set that is to be made. */
export type NewSet = { key: string; wanted: number; served: boolean };

/** The revision that a set is brought up for; absent: as it was noted before. */
export type SetNote = { revisionId?: string };

export type FoundSet = Omit<ComputeSet, 'failure'> & {
  /** The revision that it was last brought up for. */
  revisionId: string;
  /** The revision to whose log its servers print, where that is the one that they were started for. */
  startedFor?: string;
  /** False: a `create` was cut off before there were servers. */
  isWhole: boolean;
  /** Its removal was begun, and goes on with each `remove`: its servers end, and nothing brings it back. */
  isLeaving: boolean;
};

/** Of what a balancer that all deployments share has only so many. */
export type BalancerParts = { targetGroups: number; rules: number };

/** A deployment as its compute has it; `inUse`: by all deployments. */
export type Found = { sets: FoundSet[]; traffic: Traffic; inUse?: BalancerParts };

/** A line for the deploy log. */
export type Say = (line: string) => void | Promise<void>;

/**
 * Runs the servers of one deployment as sets, and sends its requests to one of them. Each call may be made
 * again after it was cut off anywhere, and then completes what it has begun. Whatever is there belongs to a
 * set that `look` finds, or is the traffic: so nothing is left once both are gone.
 */
export type Compute<P extends Plan> = {
  look(): Promise<Found>;
  /** Why servers of a set are missing, where that is known. */
  failureOf(key: string): Promise<AgentFailure | undefined>;
  create(set: P & NewSet, say: Say): Promise<void>;
  scale(key: string, wanted: number): Promise<void>;
  /** Takes its retirement back. */
  revive(key: string, wanted: number, note: SetNote): Promise<void>;
  /** Notes that the set has served and for which revision, then moves the traffic in one write. */
  move(to: Traffic, note: SetNote): Promise<void>;
  /** Notes when (epoch milliseconds), and freezes how many servers it has. */
  retire(key: string, at: number): Promise<void>;
  /** `later`: it is on its way, call again. */
  remove(key: string): Promise<'done' | 'later'>;
  stopTraffic(): Promise<void>;
  /** Where the deployment answers. */
  address(): string;
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
