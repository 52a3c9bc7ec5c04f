import type { Webhook, WebhookDelivery } from './items.ts';
import type { DeliveryView, WebhookFormat, WebhookView } from './shape.ts';

const MASK = '**********';

/** Whoever has the address of an incoming webhook of Slack may post there: its path is a credential. */
export const shownUrl = (url: string, format: WebhookFormat): string =>
  format === 'slack' ? `${new URL(url).origin}/${MASK}` : url;

export const webhookViewOf = (item: Webhook, now: number): WebhookView => ({
  id: item.id,
  name: item.name,
  url: item.shown_url,
  format: item.format,
  event_types: item.event_types ?? null,
  deployment_ids: item.deployment_ids ?? null,
  status: item.disabled === undefined ? 'ENABLED' : 'DISABLED',
  disabled_at: item.disabled?.at ?? null,
  disabled_reason: item.disabled?.reason ?? null,
  previous_secret_until: stillUntil(item.previous_secret_until, now),
  created_at: item.created_at,
  created_by: item.created_by,
});

const stillUntil = (until: string | undefined, now: number): string | null =>
  until !== undefined && Date.parse(until) > now ? until : null;

export const deliveryViewOf = (item: WebhookDelivery): DeliveryView => ({
  id: item.id,
  at: item.at,
  event_id: item.event_id,
  event_type: item.event_type,
  event_number: item.event_number ?? null,
  result: item.result,
  status_code: item.status_code ?? null,
  reason: item.reason ?? null,
  duration_ms: item.duration_ms ?? null,
  next_attempt_at: item.next_attempt_at ?? null,
  requested: item.requested ?? false,
});
