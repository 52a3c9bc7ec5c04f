import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthProvider } from '../../core/items/oauth-providers.ts';
import { sealClientSecret } from '../../core/oauth/client.ts';
import { checkAddresses } from './addresses.ts';
import { discovered } from './discovered.ts';
import { keepProvider, newProvider } from './keep.ts';
import type { createProvider as row } from './routes.ts';
import type { ProviderView } from './shape.ts';

/**
 * Makes an authorization server known to the caller's organization, with what it publishes of itself. Throws
 * 422 for addresses that are not to be reached from here, 409 when the name is taken.
 */
export async function createProvider(
  deps: Pick<Deps, 'table' | 'clock' | 'keys' | 'oauthDiscovery' | 'settings' | 'idempotency'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<ProviderView> {
  checkAddresses(body, deps.settings.addresses);
  const { client_secret: secret, provider_type, mcp_server_url } = body;
  const fixed = newProvider(deps, caller);
  const owner = { organization_id: fixed.organization_id, provider_id: body.provider_id };
  const [found, sealed] = await Promise.all([
    discovered(deps, body),
    secret === undefined ? undefined : sealClientSecret(deps, owner, secret),
  ]);
  const usesPkce = body.uses_pkce ?? true;
  const item: OAuthProvider = {
    ...fixed,
    provider_id: body.provider_id,
    name: body.name,
    client_id: body.client_id,
    auth_url: body.auth_url,
    token_url: body.token_url,
    uses_pkce: usesPkce,
    ...(usesPkce && { code_challenge_method: 'S256' }),
    ...(provider_type !== undefined && provider_type !== '' && { provider_type }),
    ...(mcp_server_url !== undefined && { mcp_server_url }),
    token_endpoint_auth_method: body.token_endpoint_auth_method ?? 'client_secret_post',
    authorization_params: body.authorization_params ?? {},
    is_dynamic_client: false,
    allowed_redirect_uris: body.allowed_redirect_uris ?? [],
    user_binding: body.user_binding ?? 'browser',
    ...found,
    ...(sealed !== undefined && { sealed }),
  };
  return keepProvider(deps, item, caller);
}
