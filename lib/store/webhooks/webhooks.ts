import * as z from 'zod';
import { refuse } from '../../contract/errors.ts';
import { webhookFormats } from '../../contract/webhooks.ts';
import type { AuditMark } from '../audit-events.ts';
import { equals, put, putNew, remove } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { type WebhookRef, webhookKey } from '../keys/webhooks.ts';
import type { Table } from '../table.ts';

export type { WebhookRef } from '../keys/webhooks.ts';

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

export const refOf = ({ tenant_id, id }: Pick<Webhook, 'tenant_id' | 'id'>): WebhookRef => ({
  tenantId: tenant_id,
  webhookId: id,
});

export const findWebhook = (table: Table, ref: WebhookRef): Promise<Webhook | undefined> =>
  find(table, webhookKey(ref), webhook);

/** Throws `webhook_not_found`. */
export async function getWebhookItem(table: Table, ref: WebhookRef): Promise<Webhook> {
  const found = await findWebhook(table, ref);
  if (found === undefined) throw refuse('webhook_not_found', { id: ref.webhookId });
  return found;
}

/** All of a tenant's webhooks, newest first. */
export async function webhooksOf(table: Table, tenantId: string): Promise<Webhook[]> {
  const all: Webhook[] = [];
  const query = { pk: webhookKey({ tenantId, webhookId: '' }).pk, newestFirst: true };
  for await (const item of queryAll(table, webhook, query)) all.push(item);
  return all;
}

/** Stores a new webhook. `audit`: who asked for it. */
export const putWebhook = (item: Webhook, audit: AuditMark): Write =>
  putNew('webhook', { ...webhookKey(refOf(item)), ...item, audit });

/** Changes a webhook. Demands that it is as it was read. `audit`: who asked for it, if anybody did. */
export const changeWebhook = (before: Webhook, after: Webhook, audit?: AuditMark): Write =>
  put(
    'webhook',
    { ...webhookKey(refOf(before)), ...after, version: before.version + 1, ...(audit && { audit }) },
    equals('version', before.version),
  );

/** Removes a webhook. Demands that it is as it was read. */
export const removeWebhook = (item: Webhook): Write =>
  remove('webhook', webhookKey(refOf(item)), equals('version', item.version));
