import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import { shownTime } from '../../core/oauth/token-rules.ts';
import type { OAuthTokenView } from './shape.ts';

export const oauthTokenViewOf = (token: OAuthToken): OAuthTokenView => ({
  id: token.id,
  provider_id: token.provider_id,
  provider_account_label: token.account_label ?? null,
  user_id: token.user_id ?? null,
  agent_id: token.agent_id ?? null,
  scopes: token.scopes,
  status: token.status,
  is_default: token.is_default,
  expires_at: shownTime(token.expires_at),
  has_refresh_token: token.has_refresh_token,
  metadata: token.metadata ?? {},
  created_at: token.created_at,
  updated_at: token.updated_at,
});
