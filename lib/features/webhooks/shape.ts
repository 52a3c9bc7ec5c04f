import * as z from 'zod';
import { eventTypes, listenerEventTypes, tokenEventTypes, webhookEventTypes } from '../../contract/events.ts';
import { address } from '../../contract/validation/address.ts';
import { withoutNulls } from '../../contract/validation/json.ts';
import { page } from '../../contract/validation/query.ts';

/**
 * Webhooks: addresses that events are delivered to. First what requests and answers hold, then what is
 * stored. The secret of a webhook is shown when it is made, and never again.
 */

export const webhookFormats = [
  /** The body of Standard Webhooks: `{type, timestamp, data}`. */
  'standard',
  /** The event alone. */
  'json',
  /** A line of text, for an incoming webhook of Slack. */
  'slack',
] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

const deliveredTypes = [
  ...eventTypes,
  ...tokenEventTypes,
  ...listenerEventTypes,
  ...webhookEventTypes,
] as const;

/** A webhook may name so many deployments: each is looked up when it does. */
const DEPLOYMENTS_MAX = 50;
const NAME_LENGTH_MAX = 128;

const name = z
  .string()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .regex(/^\P{Cc}+$/u, 'a name contains no control characters');

/** What may be asked for of a new webhook and of one that is there. Lists: absent or null is all of them. */
const filters = {
  event_types: z.array(z.enum(deliveredTypes)).min(1).nullish(),
  /** Only events of these deployments, and so none of listeners, tokens or webhooks. */
  deployment_ids: z.array(z.guid().toLowerCase()).min(1).max(DEPLOYMENTS_MAX).nullish(),
};

/** A number of `GET /v2/events`: what came after it is delivered. Absent: what comes from now on. */
const after = z.int().min(0).nullish();

/** `POST /v2/webhooks`. */
export const createWebhookBody = z
  .object({ url: address, name: name.nullish(), format: z.enum(webhookFormats).nullish(), ...filters, after })
  .transform(withoutNulls);
export type CreateWebhookBody = z.output<typeof createWebhookBody>;

/** `PATCH /v2/webhooks/{webhook_id}`: what is absent or null stays; null in a list means all. */
export const patchWebhookBody = z
  .object({
    url: address.nullish(),
    name: name.nullish(),
    format: z.enum(webhookFormats).nullish(),
    ...filters,
    /** `ENABLED` begins to deliver again, `DISABLED` stops. */
    status: z.enum(['ENABLED', 'DISABLED']).nullish(),
    /** Makes another secret; for a day deliveries are signed with the one before it as well. */
    rotate_secret: z.boolean().nullish(),
    /** Only beside `status` `ENABLED`. */
    after,
  })
  .transform(({ event_types, deployment_ids, ...rest }) => ({
    ...withoutNulls(rest),
    ...(event_types !== undefined && { event_types }),
    ...(deployment_ids !== undefined && { deployment_ids }),
  }));
export type PatchWebhookBody = z.output<typeof patchWebhookBody>;

const text = z.string().nullable();

const shown = {
  id: z.guid(),
  name: z.string(),
  /** Masked for Slack: whoever has such an address may post there. */
  url: z.string(),
  format: z.enum(webhookFormats),
  event_types: z.array(z.string()).nullable(),
  deployment_ids: z.array(z.guid()).nullable(),
  status: z.enum(['ENABLED', 'DISABLED']),
  disabled_at: text,
  disabled_reason: text,
  /** Until then deliveries are signed with the secret before the last rotation too. */
  previous_secret_until: text,
  created_at: z.string(),
  created_by: z.string(),
};

export const webhookView = z.object(shown);
export type WebhookView = z.input<typeof webhookView>;

/** With `secret` where one was made: it is shown this once. */
export const webhookSecretView = z.object({ ...shown, secret: z.string().optional() });
export type WebhookSecretView = z.input<typeof webhookSecretView>;

export const webhookListView = z.object({ resources: z.array(webhookView), offset: z.int() });

export const deliveryResults = ['PENDING', 'DELIVERED', 'FAILED'] as const;

/** One attempt. */
export const deliveryView = z.object({
  id: z.guid(),
  /** When it was sent, or asked for while it is PENDING. */
  at: z.string(),
  /** The `webhook-id`: the same in every attempt. */
  event_id: z.string(),
  event_type: z.string(),
  /** In `GET /v2/events`; null for a test. */
  event_number: z.int().nullable(),
  result: z.enum(deliveryResults),
  /** What the receiver answered; null: nothing came. */
  status_code: z.int().nullable(),
  /** Why it failed. */
  reason: text,
  duration_ms: z.int().nullable(),
  /** When it is tried again. */
  next_attempt_at: text,
  /** Whether a person asked for it: a test or another delivery. */
  requested: z.boolean(),
});
export type DeliveryView = z.input<typeof deliveryView>;

export const listDeliveriesQuery = z.object(page);
export const deliveryListView = z.object({ resources: z.array(deliveryView), offset: z.int() });

/** The stored webhook. All of a tenant's lie in one partition, for there are few. */
export const webhook = z.object({
  v: z.literal(1),
  entity: z.literal('webhook'),
  tenant_id: z.string(),
  id: z.string(),
  name: z.string(),
  format: z.enum(webhookFormats),
  /** The address as it is shown. */
  shown_url: z.string(),
  /** Address and secrets; opens only under this tenant and webhook. */
  sealed: z.string(),
  /** Of the secret before the last rotation; ISO 8601 UTC. */
  previous_secret_until: z.string().optional(),
  /** Absent: all. */
  event_types: z.array(z.string()).optional(),
  deployment_ids: z.array(z.string()).optional(),
  /** Absent: it is enabled. */
  disabled: z.object({ at: z.string(), reason: z.string() }).optional(),
  /** Counts its changes. */
  version: z.int(),
  created_at: z.string(),
  created_by: z.string(),
});
export type Webhook = z.infer<typeof webhook>;

/** How far the events of the feed are shared out to a webhook's queues, and which worker does it. */
export const webhookCursor = z.object({
  v: z.literal(1),
  entity: z.literal('webhook_cursor'),
  tenant_id: z.string(),
  /** The number of the last event that was passed over, or is in a queue until it is delivered. */
  position: z.int(),
  /** Where it began: what a queue holds from before that is of an earlier life of the webhook. */
  start: z.int(),
  /** At most one worker delivers; `until` in epoch milliseconds. */
  lease: z.object({ holder: z.string(), until: z.number() }).optional(),
  /** Changed by whoever came while another worked: that one looks again before it ends. */
  asked: z.string().optional(),
  due_at: z.number().optional(),
});
export type WebhookCursor = z.infer<typeof webhookCursor>;

/** What is to be delivered of one deployment, token or listener. It is there only while something is. */
export const webhookQueue = z.object({
  v: z.literal(1),
  entity: z.literal('webhook_queue'),
  tenant_id: z.string(),
  subject_id: z.string(),
  /** The number of the last event that was delivered, or the one before the first. */
  after: z.int(),
  /** Of the first event that is not delivered. */
  failing: z.object({ attempts: z.int(), since: z.number(), next_at: z.number() }).optional(),
});
export type WebhookQueue = z.infer<typeof webhookQueue>;

const storedDelivery = {
  v: z.literal(1),
  tenant_id: z.string(),
  webhook_id: z.string(),
  id: z.string(),
  /** ISO 8601 UTC. */
  at: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  /** In the feed; absent: a test. */
  event_number: z.int().optional(),
  result: z.enum(deliveryResults),
  status_code: z.int().optional(),
  reason: z.string().optional(),
  duration_ms: z.int().optional(),
  next_attempt_at: z.string().optional(),
  /** A person asked for it. */
  requested: z.boolean().optional(),
  /** Epoch milliseconds, while it is PENDING. */
  due_at: z.number().optional(),
  ttl: z.number(),
};

/** One attempt to deliver an event. */
export const webhookDelivery = z.object({ ...storedDelivery, entity: z.literal('webhook_delivery') });
/** A person's wish for one, until it is made. */
export const requestedDelivery = z.object({ ...storedDelivery, entity: z.literal('requested_delivery') });

export type WebhookDelivery = z.infer<typeof webhookDelivery> | z.infer<typeof requestedDelivery>;
