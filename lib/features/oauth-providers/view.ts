import type { OAuthProvider } from '../../core/items/oauth-providers.ts';
import type { ProviderView } from './shape.ts';

/** What is shown of a provider: never its secret. */
export const providerViewOf = (item: OAuthProvider): ProviderView => ({
  id: item.id,
  organization_id: item.organization_id,
  provider_id: item.provider_id,
  name: item.name,
  client_id: item.client_id,
  auth_url: item.auth_url,
  token_url: item.token_url,
  uses_pkce: item.uses_pkce,
  code_challenge_method: item.code_challenge_method ?? null,
  created_at: item.created_at,
  updated_at: item.updated_at,
  provider_type: item.provider_type ?? null,
  mcp_server_url: item.mcp_server_url ?? null,
  token_endpoint_auth_method: item.token_endpoint_auth_method,
  authorization_params: item.authorization_params,
  is_dynamic_client: item.is_dynamic_client,
  allowed_redirect_uris: item.allowed_redirect_uris,
  user_binding: item.user_binding,
});
