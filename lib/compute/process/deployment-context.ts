import type { LogLevel } from '../../contract/log-level.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks } from '../../listener/driver.ts';
import type { ProcessDeployment } from './deployment.ts';
import type { ProxiedRoute } from './proxied-route.ts';
import type { Server } from './server.ts';

/** What a deployment needs from the driver around it. */
export type DeploymentContext = {
  route: ProxiedRoute;
  url: string;
  /** A sentence about a host of its own, with a blank before it; empty where it has none. */
  ownHostNote: string;
  /**
   * Fetches what is missing and starts a server; throws with a reason for a person, leaving nothing behind.
   * `beside` another one, a server that keeps state of its own is only tried, and started again once the
   * other has saved its state. `isNew`: what a new version has to do once is done before.
   */
  bringUp: (
    spec: DeploySpec,
    signal: AbortSignal,
    say: DeployHooks['say'],
    how: { beside: boolean; isNew: boolean },
  ) => Promise<BroughtUp>;
  /** Lets requests under way finish, and the server save what it holds; it has stopped then. */
  settle: (server: Server, next: DeploySpec, say: DeployHooks['say']) => Promise<void>;
  /** Lets requests under way finish, then stops the server. */
  retire: (server: Server, next: DeploySpec | undefined) => Promise<void>;
  stopNow: (server: Server) => Promise<void>;
  /** A line for the deploy log of a revision. */
  logLine: (revisionId: string, level: LogLevel, message: string) => void;
  /** It was up and is started again, or could not be started and is tried again; `server`: which has ended. */
  restarted: (revisionId: string, server: Server | undefined) => void;
  /** Which revision runs, or whether it is healthy, has changed. */
  changed: (deployment: ProcessDeployment) => void;
};
export type BroughtUp = { server: Server; timing: string };
