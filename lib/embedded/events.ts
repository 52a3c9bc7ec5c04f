import type { Events } from '../adapters/events.ts';
import type { DeploymentEvent, PublishedEvent, TokenEvent } from '../contract/events.ts';

/** The newest so many are kept for who asks. */
const KEPT_MAX = 1_000;

export type EmbeddedEvents = Events & {
  /** What was told of deployments, oldest first, repetitions included. */
  published(): readonly DeploymentEvent[];
  /** The same of OAuth tokens and connections. */
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
