import * as z from 'zod';
import { eventTypes, listenerEventTypes, tokenEventTypes, webhookEventTypes } from '../../contract/events.ts';
import { address } from '../../contract/validation/address.ts';
import { withoutNulls } from '../../contract/validation/json.ts';
import { resourceName } from '../../contract/validation/name.ts';
import { page } from '../../contract/validation/query.ts';

/** Where events are delivered to. Its secret is shown when it is made, and never again. */

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
  .object({
    url: address,
    name: resourceName.nullish(),
    format: z.enum(webhookFormats).nullish(),
    ...filters,
    after,
  })
  .transform(withoutNulls);
export type CreateWebhookBody = z.output<typeof createWebhookBody>;

/** `PATCH /v2/webhooks/{webhook_id}`: what is absent or null stays; null in a list means all. */
export const patchWebhookBody = z
  .object({
    url: address.nullish(),
    name: resourceName.nullish(),
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
