import type { Listed, Webhook } from '../../lib/client/endpoints.ts';
import type { PublishedEvent } from '../../lib/contract/events.ts';
import { type Look, lookOf } from './status.ts';

export type EventType = PublishedEvent['type'];
export type Delivery = Listed<'GET /v2/webhooks/{webhook_id}/deliveries'>;

/** How a webhook stands; `effect`: what its receiver said last, of one that fails although it is enabled. */
export const webhookLook = ({ status }: Pick<Webhook, 'status'>, effect: string | undefined): Look =>
  status === 'ENABLED' && effect !== undefined
    ? { tone: 'bad', shape: 'cross', word: 'Failing' }
    : lookOf(status);

/** What can be delivered, and what it says. */
export const eventWords: Record<EventType, string> = {
  'deployment.created': 'A deployment was created',
  'deployment.deleted': 'A deployment was deleted',
  'revision.status_changed': 'The status of a revision changed',
  'deployment.health_changed': 'A deployment became unhealthy, or healthy again',
  'deployment.threads_expired': 'Threads waited too long in a revision',
  'deployment.threads_released': 'Somebody moved waiting threads on',
  'oauth_token.created': 'Somebody granted access at a provider',
  'oauth_token.renewed': 'Access at a provider was renewed',
  'oauth_token.expired': 'Access at a provider expired',
  'oauth_token.deleted': 'Access at a provider was deleted',
  'connection.created': 'An agent was connected to a provider',
  'connection.deleted': 'An agent was disconnected',
  'listener.offline': 'A listener went offline',
  'listener.online': 'A listener came online',
  'webhook.disabled': 'A webhook was turned off',
};

const isEventType = (word: string): word is EventType => Object.hasOwn(eventWords, word);
export const eventTypes: readonly EventType[] = Object.keys(eventWords).filter(isEventType);

export const formats = [
  ['standard', 'Standard Webhooks'],
  ['json', 'Plain JSON'],
  ['slack', 'Slack message'],
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
