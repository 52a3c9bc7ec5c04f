import type { DeploymentRef } from '../contract/refs.ts';
import type { BalancerParts, Compute, NewSet, Plan } from './port.ts';

/**
 * Wakes the driver of one deployment, which then brings what runs to what shall run. A hint: one that is lost
 * is made up for by sweep, and two at once do no harm.
 */
export type ComputeDriver = { wake(ref: DeploymentRef): Promise<void> };

/** What servers of an image are made of. */
export type ServerPlan = Plan & {
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
  /** A line for a shell that starts the server, in place of what the image says. */
  startLine?: string | undefined;
  /** What says that a server is ready: such a status (`200-399`) at the path. It has `seconds` until then. */
  health: { path: string; statuses: string; seconds: number };
  /** Tags that a person has given. */
  labels: Readonly<Record<string, string>>;
};

/** A set of such servers that is to be made. */
export type NewServers = ServerPlan & NewSet;

/** A deployment whose servers the installation runs, with its name: that is in its address. */
export type Agent = DeploymentRef & { name: string };

/** What the installation runs deployments on. */
export type ManagedCompute = (agent: Agent) => Compute<ServerPlan> & {
  /** How many there may be of what a look finds in use; absent: deployments share nothing. */
  quotas?(): Promise<BalancerParts>;
};
