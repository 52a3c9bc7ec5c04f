import * as z from 'zod';
import { deliveryResults, webhookFormats } from './shape.ts';

/** The reason of a webhook that a person has disabled. */
export const DISABLED_ON_REQUEST = 'It was disabled on request.';

/** An address that events are delivered to. All of a tenant's lie in one partition, for there are few. */
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
