import type { Events } from '../adapters/events.ts';
import type { DeploymentEvent } from '../contract/events.ts';

/** The newest so many are kept for who asks. */
const KEPT_MAX = 1_000;

export type EmbeddedEvents = Events & {
  /** What was told, oldest first, repetitions included. */
  published(): readonly DeploymentEvent[];
};

/** Takes every event, calls `onEvent` with it and keeps the newest in memory. */
export function createEmbeddedEvents(onEvent: (event: DeploymentEvent) => void = () => {}): EmbeddedEvents {
  const kept: DeploymentEvent[] = [];
  return {
    async publish(events) {
      for (const event of events) {
        kept.push(event);
        onEvent(event);
      }
      kept.splice(0, Math.max(0, kept.length - KEPT_MAX));
      return undefined;
    },
    published: () => kept,
  };
}
