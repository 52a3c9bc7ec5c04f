import * as z from 'zod';
import type { TokenEvent } from '../../contract/events.ts';
import type { ChangedItem } from '../../core/events/changed-item.ts';
import type { Item } from '../../store/dynamodb/transact.ts';

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
export function tokenEventsOf({ before, after, at }: ChangedItem): TokenEvent[] {
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
