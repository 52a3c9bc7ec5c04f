import type { Events } from '../adapters/events.ts';
import type { DeploymentEvent, PublishedEvent, TokenEvent } from '../contract/events.ts';

/** How many of the newest events are kept. */
const KEPT_MAX = 1_000;

export type EmbeddedEvents = Events & {
  /** Published events of deployments, oldest first, repetitions included. */
  published(): readonly DeploymentEvent[];
  /** Published events of OAuth tokens and connections, in that order too. */
  publishedOfTokens(): readonly TokenEvent[];
};

const isOfToken = (event: PublishedEvent): event is TokenEvent => 'token_id' in event;
const isOfDeployment = (event: PublishedEvent): event is DeploymentEvent => 'deployment_id' in event;

/** Takes every event, calls `onEvent` with it and keeps the newest in memory. */
export function createEmbeddedEvents(onEvent: (event: PublishedEvent) => void = () => {}): EmbeddedEvents {
  const kept: PublishedEvent[] = [];
  return {
    async publish(events) {
      for (const event of events) {
        kept.push(event);
        onEvent(event);
      }
      kept.splice(0, Math.max(0, kept.length - KEPT_MAX));
      return undefined;
    },
    published: () => kept.filter(isOfDeployment),
    publishedOfTokens: () => kept.filter(isOfToken),
  };
}
