import * as z from 'zod';
import type { Wake } from '../../adapters/webhook-waker.ts';
import type { ListenerEvent, OtherEvent, TokenEvent, WebhookEvent } from '../../contract/events.ts';
import type { ChangedItem } from '../../core/events/changed-item.ts';
import type { Item } from '../../store/dynamodb/transact.ts';

/** Tokens, connections, listeners and webhooks count their changes themselves. */
export const otherEventsOf = (change: ChangedItem): OtherEvent[] => [
  ...tokenEventsOf(change),
  ...listenerEventsOf(change),
  ...webhookEventsOf(change),
];

/** What is read of the images, whatever else later versions of the items hold. */
const tokenImage = z.object({
  tenant_id: z.string(),
  id: z.string(),
  provider_id: z.string(),
  status: z.string(),
  version: z.int(),
  updated_at: z.string(),
});
const connectionImage = z.object({
  tenant_id: z.string(),
  id: z.string(),
  token_id: z.string(),
  agent_id: z.string(),
  provider_id: z.string(),
  created_at: z.string(),
});

/**
 * What a change of an item means for who follows tokens and connections: nothing, where only a lease or a
 * note has changed.
 */
function tokenEventsOf({ before, after, at }: ChangedItem): TokenEvent[] {
  const item = after ?? before;
  if (item?.entity === 'oauth_token') return tokenChange(item, before, after, at);
  if (item?.entity !== 'oauth_connection' || (before !== undefined && after !== undefined)) return [];
  const { tenant_id, id, token_id, agent_id, provider_id, created_at } = connectionImage.parse(item);
  const came = after !== undefined;
  return [
    {
      id: `${id}:${came ? 'created' : 'deleted'}`,
      type: came ? 'connection.created' : 'connection.deleted',
      sequence: 1,
      at: came ? created_at : new Date(at).toISOString(),
      tenant_id,
      token_id,
      provider_id,
      connection_id: id,
      agent_id,
    },
  ];
}

function tokenChange(
  item: Item,
  before: Item | undefined,
  after: Item | undefined,
  at: number,
): TokenEvent[] {
  const { tenant_id, id, provider_id, status, version, updated_at } = tokenImage.parse(item);
  if (after !== undefined && before?.version === version) return [];
  const type =
    after === undefined
      ? 'oauth_token.deleted'
      : before === undefined
        ? 'oauth_token.created'
        : status === 'expired'
          ? 'oauth_token.expired'
          : 'oauth_token.renewed';
  return [
    {
      id: `${id}:${version}:${type.replace('oauth_token.', '')}`,
      type,
      sequence: version,
      at: after === undefined ? new Date(at).toISOString() : updated_at,
      tenant_id,
      token_id: id,
      provider_id,
    },
  ];
}

const presenceImage = z.object({
  tenant_id: z.string(),
  listener_id: z.string(),
  online: z.boolean().optional(),
  changes: z.int(),
  at: z.string().optional(),
});

/** That a listener went offline, or came online. */
function listenerEventsOf({ before, after }: ChangedItem): ListenerEvent[] {
  if (after?.entity !== 'listener_presence') return [];
  const { tenant_id, listener_id, online, changes, at } = presenceImage.parse(after);
  if (online === undefined || at === undefined || before?.changes === changes) return [];
  const type = online ? 'listener.online' : 'listener.offline';
  return [{ id: `${listener_id}:${changes}:${type}`, type, sequence: changes, at, tenant_id, listener_id }];
}

const webhookImage = z.object({
  tenant_id: z.string(),
  id: z.string(),
  version: z.int(),
  disabled: z.object({ at: z.string(), reason: z.string() }).optional(),
});
const requestImage = z.object({ tenant_id: z.string(), webhook_id: z.string(), id: z.string() });

/** Longer ones say no more. */
const REASON_LENGTH_MAX = 500;

/** That a webhook was disabled, by a request or because its receiver took nothing. */
function webhookEventsOf({ before, after }: ChangedItem): WebhookEvent[] {
  if (after?.entity !== 'webhook') return [];
  const { tenant_id, id, version, disabled } = webhookImage.parse(after);
  if (disabled === undefined || before?.disabled !== undefined) return [];
  const { at } = disabled;
  const reason = disabled.reason.slice(0, REASON_LENGTH_MAX);
  const type = 'webhook.disabled' as const;
  return [
    { id: `${id}:${version}:disabled`, type, sequence: version, at, tenant_id, webhook_id: id, reason },
  ];
}

/** Which worker of webhooks is woken: a webhook is new or was changed, or a delivery was asked for. */
export function wakesOf({ before, after }: ChangedItem): Wake[] {
  if (after?.entity === 'webhook') {
    const { tenant_id: tenantId, id: webhookId } = webhookImage.parse(after);
    return [{ tenantId, webhookId }];
  }
  if (after?.entity !== 'requested_delivery' || before !== undefined) return [];
  const { tenant_id: tenantId, webhook_id: webhookId, id: deliveryId } = requestImage.parse(after);
  return [{ tenantId, webhookId, deliveryId }];
}
