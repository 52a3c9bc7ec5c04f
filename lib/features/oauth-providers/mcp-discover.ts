import { OAuthError, type RegisteredClient } from '../../adapters/oauth.ts';
import { refuse, ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findNamedProvider } from '../../core/items/oauth-providers.ts';
import { sealClientSecret } from '../../core/oauth/client.ts';
import { checkAddresses } from './addresses.ts';
import { knownOf } from './discovered.ts';
import { keepProvider, newProvider } from './keep.ts';
import type { discoverProvider as row } from './routes.ts';
import type { ProviderView } from './shape.ts';

type DiscoverDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'oauthDiscovery' | 'settings' | 'idempotency'>;
type Body = RouteInput<typeof row>['body'];

/** It asks several servers one after the other; API Gateway gives up after 30 s. */
const DISCOVERY_MILLISECONDS_MAX = 20_000;

/**
 * Finds the authorization server of an MCP server, registers a client there, and keeps both as a provider.
 * Throws 422 when there is none that can be used, 503 when one does not answer, 409 when the name is taken.
 */
export async function discoverProvider(
  deps: DiscoverDeps,
  { body, baseUrl }: Pick<RouteInput<typeof row>, 'body' | 'baseUrl'>,
  caller: Caller,
): Promise<ProviderView> {
  const { provider_id, name, mcp_server_url } = body;
  checkAddresses(body, deps.settings.addresses);
  // Checked first, so that no unused client is registered.
  if ((await findNamedProvider(deps.table, caller.organizationId, provider_id)) !== undefined)
    throw refuse('oauth_provider_taken', { providerId: provider_id });
  const redirectUri = `${baseUrl}/v2/auth/callback/${provider_id}`;
  const client = await registered(deps, body, redirectUri);
  const fixed = newProvider(deps, caller);
  const owner = { organization_id: fixed.organization_id, provider_id };
  const { clientSecret } = client;
  return keepProvider(
    deps,
    {
      ...fixed,
      ...{ provider_id, name, mcp_server_url },
      client_id: client.clientId,
      auth_url: client.authUrl,
      token_url: client.tokenUrl,
      uses_pkce: true,
      code_challenge_method: 'S256',
      token_endpoint_auth_method: client.authMethod,
      authorization_params: {},
      is_dynamic_client: true,
      allowed_redirect_uris: [redirectUri],
      user_binding: 'browser',
      ...knownOf(client),
      resource: client.resource,
      ...(clientSecret !== undefined && { sealed: await sealClientSecret(deps, owner, clientSecret) }),
    },
    caller,
  );
}

async function registered(
  { oauthDiscovery, settings }: DiscoverDeps,
  { mcp_server_url: url, provider_id: providerId }: Body,
  redirectUri: string,
): Promise<RegisteredClient> {
  try {
    const signal = AbortSignal.timeout(DISCOVERY_MILLISECONDS_MAX);
    const client = await oauthDiscovery.discoverMcp(url, { redirectUri, name: 'Slipway' }, signal);
    // A browser is sent to the first, and the second is asked from here: what a server names is judged as
    // what a person names.
    checkAddresses({ auth_url: client.authUrl, token_url: client.tokenUrl }, settings.addresses);
    return client;
  } catch (error) {
    if (error instanceof OAuthError && error.kind === 'transient')
      throw refuse('provider_unavailable', { providerId });
    if (error instanceof OAuthError) throw notUsable(url, error.message);
    throw error instanceof ValidationError
      ? notUsable(url, 'it names addresses that are not allowed')
      : error;
  }
}

const notUsable = (url: string, reason: string): ValidationError =>
  new ValidationError([
    { loc: ['body', 'mcp_server_url'], type: 'value_error', msg: `Value error, ${reason}`, input: url },
  ]);
