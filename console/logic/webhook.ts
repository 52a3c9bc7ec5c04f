import type { Listed, Webhook } from '../../lib/client/endpoints.ts';
import type { PublishedEvent } from '../../lib/contract/events.ts';

export type EventType = PublishedEvent['type'];
export type Delivery = Listed<'GET /v2/webhooks/{webhook_id}/deliveries'>;

/** What can be delivered, and what it says. */
export const eventWords: Record<EventType, string> = {
  'deployment.created': 'A deployment was made',
  'deployment.deleted': 'A deployment was deleted',
  'revision.status_changed': 'A revision has another status',
  'deployment.health_changed': 'What serves became unhealthy, or healthy again',
  'deployment.threads_expired': 'Threads had waited too long in a revision',
  'deployment.threads_released': 'A person let threads of a revision go',
  'oauth_token.created': 'A person has granted a token',
  'oauth_token.renewed': 'A token was renewed',
  'oauth_token.expired': 'A grant is taken no more',
  'oauth_token.deleted': 'A token was deleted',
  'connection.created': 'An agent was connected to a token',
  'connection.deleted': 'An agent was disconnected',
  'listener.offline': 'A listener has gone',
  'listener.online': 'A listener is back',
  'webhook.disabled': 'A webhook was disabled',
};

const isEventType = (word: string): word is EventType => Object.hasOwn(eventWords, word);
export const eventTypes: readonly EventType[] = Object.keys(eventWords).filter(isEventType);

export const formats = [
  ['standard', 'Standard Webhooks'],
  ['json', 'The event alone'],
  ['slack', 'A line of text, for Slack'],
] as const;

export type Format = Webhook['format'];
export const formatWord = (format: Format): string =>
  formats.find(([each]) => each === format)?.[1] ?? format;

/** `All events`, `3 kinds of events`: what is delivered, in few words. */
export function deliveredWords({
  event_types: types,
  deployment_ids: ids,
}: Pick<Webhook, 'event_types' | 'deployment_ids'>): string {
  const events =
    types === null ? 'All events' : types.length === 1 ? `${types[0]}` : `${types.length} kinds of events`;
  if (ids === null) return events;
  return `${events} of ${ids.length === 1 ? 'one deployment' : `${ids.length} deployments`}`;
}

/** The number of the newest event that is known to have arrived: where to go on from. */
export const lastDelivered = (deliveries: readonly Delivery[]): number | undefined =>
  deliveries
    .filter(({ result, event_number: number }) => result === 'DELIVERED' && number !== null)
    .map(({ event_number: number }) => number ?? 0)
    .toSorted((one, other) => other - one)[0];
