import * as z from 'zod';
import { revisionStatuses } from './revision-status.ts';

export const eventTypes = [
  'deployment.created',
  'deployment.deleted',
  'revision.status_changed',
  /** Its listener reports that what serves became unhealthy, or healthy again. */
  'deployment.health_changed',
  /** Threads that waited in a revision were ended, for they had waited longer than on_release allows. */
  'deployment.threads_expired',
  /** A person has let the threads go that wait in a revision. */
  'deployment.threads_released',
] as const;

/** What every event has beside its type. */
const common = {
  /** It stays the same however often the event is delivered. */
  id: z.string(),
  /** ISO 8601 UTC. */
  at: z.string(),
  tenant_id: z.string(),
};

/** A published event of a deployment. It contains ids and states, never a configuration. */
export const deploymentEvent = z.object({
  ...common,
  type: z.enum(eventTypes),
  /** Counts the events of its deployment from 1 without gaps: delivery keeps no order, this does. */
  sequence: z.int(),
  deployment_id: z.string(),
  revision_id: z.string().optional(),
  status: z.enum(revisionStatuses).optional(),
  /** Of `deployment.health_changed`. */
  healthy: z.boolean().optional(),
  /** Why it is not healthy, as its listener says; of threads: how many, and who let them go. */
  reason: z.string().optional(),
});
export type DeploymentEvent = z.infer<typeof deploymentEvent>;

export const tokenEventTypes = [
  'oauth_token.created',
  /** It has another access token: refreshed, or granted anew. */
  'oauth_token.renewed',
  /** The provider takes the grant no more. */
  'oauth_token.expired',
  'oauth_token.deleted',
  'connection.created',
  'connection.deleted',
] as const;

/** What happened to a grant at an OAuth provider, or to an agent's connection to it: ids, never a token. */
export const tokenEvent = z.object({
  ...common,
  type: z.enum(tokenEventTypes),
  /** The token's version, which only rises; of a connection always 1. */
  sequence: z.int(),
  token_id: z.string(),
  provider_id: z.string(),
  connection_id: z.string().optional(),
  agent_id: z.string().optional(),
});
export type TokenEvent = z.infer<typeof tokenEvent>;

export const listenerEventTypes = [
  /** It has not asked for work for longer than an online one ever waits. */
  'listener.offline',
  'listener.online',
] as const;

export const listenerEvent = z.object({
  ...common,
  type: z.enum(listenerEventTypes),
  /** Counts these changes of the listener from 1. */
  sequence: z.int(),
  listener_id: z.string(),
});
export type ListenerEvent = z.infer<typeof listenerEvent>;

export const webhookEventTypes = [
  /** Nothing more is delivered to it until somebody enables it again. */
  'webhook.disabled',
] as const;

export const webhookEvent = z.object({
  ...common,
  type: z.enum(webhookEventTypes),
  /** Counts the changes of the webhook; it only rises. */
  sequence: z.int(),
  webhook_id: z.string(),
  reason: z.string(),
});
export type WebhookEvent = z.infer<typeof webhookEvent>;

/** Events of what is no deployment. */
export const otherEvent = z.discriminatedUnion('type', [tokenEvent, listenerEvent, webhookEvent]);
export type OtherEvent = z.infer<typeof otherEvent>;

/** Whatever followers are told. */
export const publishedEvent = z.discriminatedUnion('type', [
  deploymentEvent,
  tokenEvent,
  listenerEvent,
  webhookEvent,
]);
export type PublishedEvent = z.infer<typeof publishedEvent>;

/** The id of what an event is of: events of the same thing are delivered in their order. */
export function subjectOf(event: PublishedEvent): string {
  if ('deployment_id' in event) return event.deployment_id;
  if ('token_id' in event) return event.token_id;
  return 'listener_id' in event ? event.listener_id : event.webhook_id;
}

/** Events are kept for so long. */
export const FEED_DAYS = 30;
