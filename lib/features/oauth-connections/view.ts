import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import { shownTime } from '../../core/oauth/token-rules.ts';
import type { Connection } from './items.ts';
import type { ConnectionView } from './shape.ts';

export const connectionViewOf = (item: Connection, token: OAuthToken): ConnectionView => ({
  id: item.id,
  agent_id: item.agent_id,
  oauth_token_id: item.token_id,
  provider_id: item.provider_id,
  provider_account_label: token.account_label ?? null,
  scopes: token.scopes,
  expires_at: shownTime(token.expires_at),
  created_by: item.owner_id,
  created_at: item.created_at,
});
