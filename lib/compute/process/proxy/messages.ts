import type { MinuteCounts } from '../../../contract/deployments/counts.ts';
import type { Listening } from '../../../processes/table/listening.ts';
import type { ClosedPaths } from './closed-paths.ts';
import type { ProxyOptions } from './proxy.ts';

/** A running server, as it is told to the proxy's process. */
export type ServerTarget = {
  readonly id: string;
  readonly where: Listening;
  readonly closed: ClosedPaths;
  /** Where its requests are counted: the name of what a revision's are. */
  traffic?: string;
};

/** All that there is to know of the way to one deployment. */
export type RouteState = {
  name: string;
  /** The host of the deployment's own address; absent: it has none. */
  customHost?: string | undefined;
  customPath: string;
  /** Where requests are counted that no server answers. */
  traffic?: string | undefined;
  target?: ServerTarget | undefined;
  /** Why there is no target. */
  reason: string;
  /** Until then, in milliseconds since 1970, requests wait for a target however patient they are. */
  heldUntil: number;
};

/** What the listener has the proxy's process do. They are carried out in the order in which they come. */
export type Order =
  /** With the listening handle of the process before, if there was one. Requests wait until `open`. */
  | { kind: 'listen'; options: ProxyOptions }
  | { kind: 'open' }
  | { kind: 'route'; route: RouteState }
  | { kind: 'remove'; name: string }
  /** Answered once no request is under way there, with true, or at the latest after so long. */
  | { kind: 'drained'; targetId: string; withinMilliseconds: number }
  /** Ends the connections to a server that is about to stop. */
  | { kind: 'leave'; targetId: string }
  | { kind: 'counts' }
  /** Ends all connections, and the process. */
  | { kind: 'close' };

export type NumberedOrder = { number: number; order: Order };

/** What was counted of a revision's requests since it was told last. */
export type TrafficCounts = {
  traffic: string;
  counts: MinuteCounts;
  /** Nothing is under way. */
  isIdle: boolean;
};

/** What the proxy's process says: that an order is carried out, what was counted, or both. */
export type Told = {
  number?: number;
  counts?: TrafficCounts[];
  /** Of `listen`. It comes with the listening handle if the process has made it itself. */
  port?: number;
  /** Of `drained`. */
  isDrained?: boolean;
  /** Why it could not be carried out. */
  problem?: string;
};
