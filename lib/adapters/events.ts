import type { DeploymentEvent } from '../contract/events.ts';

/** Those that could not be told, in their order, and why not. */
export type Untold = { events: DeploymentEvent[]; reason: string };

/** Tells events to who follows them: a bus of EventBridge, or what listens in this process. */
export type Events = {
  /** Tells them in this order, and again when the other side is busy. `undefined`: all were told. Never throws. */
  publish(events: readonly DeploymentEvent[]): Promise<Untold | undefined>;
};
