import { refuse, ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { missing, valueError } from '../../contract/validation/problems.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getNamedProvider, type OAuthProvider } from '../../core/items/oauth-providers.ts';
import { sealClientSecret } from '../../core/oauth/client.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { checkAddresses } from './addresses.ts';
import { discovered } from './discovered.ts';
import type { patchProvider as row } from './routes.ts';
import type { ChangeProviderBody, ProviderView } from './shape.ts';
import { changeProvider } from './store.ts';
import { providerViewOf } from './view.ts';

type PatchDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'oauthDiscovery' | 'settings' | 'idempotency'>;

/**
 * Changes a provider: what is absent stays, an empty `provider_type` or `mcp_server_url` clears it. Where the
 * client secret is sent to changes only together with the secret, so who may change providers cannot have
 * another's secret sent to a server of their own. Throws 400, 404, 422.
 */
export async function patchProvider(
  deps: PatchDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<ProviderView> {
  checkAddresses(body, deps.settings.addresses);
  const mark = auditMarkOf(deps, { action: 'oauth_provider.change' }, caller);
  return retryRaces(deps.table, async () => {
    const before = await getNamedProvider(deps.table, caller.organizationId, params.provider_id);
    const { provider_id: providerId } = before;
    if (body.provider_id !== undefined && body.provider_id !== providerId)
      throw refuse('immutable_field', { field: 'provider_id' });
    const audit = { ...mark, subject_id: providerId };
    const after = await changed(deps, before, body);
    const shown = providerViewOf(after);
    await transact(deps.table, [changeProvider(before, after, audit), ...deps.idempotency.record(shown)]);
    return shown;
  });
}

async function changed(
  deps: PatchDeps,
  before: OAuthProvider,
  body: ChangeProviderBody,
): Promise<OAuthProvider> {
  const { client_secret: secret, provider_id: _, code_challenge_method: __, ...given } = body;
  const { issuer, revocation_url, iss_in_response, sealed, code_challenge_method: ___, ...kept } = before;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is absent has no members here: the schema's transform drops them
  const after = withoutEmpty({ ...kept, ...given } as typeof kept);
  const moves = after.auth_url !== before.auth_url || after.token_url !== before.token_url;
  const isOpen = after.token_endpoint_auth_method === 'none';
  if (moves && !isOpen && secret === undefined) throw secretMissing();
  const nextSealed = secret === undefined ? sealed : await sealClientSecret(deps, before, secret);
  if (!after.uses_pkce && (isOpen || nextSealed === undefined)) throw pkceNeeded();
  const known = { issuer, revocation_url, iss_in_response };
  return {
    ...after,
    ...(after.uses_pkce && { code_challenge_method: 'S256' }),
    ...(moves ? await discovered(deps, after) : known),
    ...(!isOpen && nextSealed !== undefined && { sealed: nextSealed }),
    version: before.version + 1,
    updated_at: new Date(deps.clock.now()).toISOString(),
  };
}

function withoutEmpty<T extends Pick<OAuthProvider, 'provider_type' | 'mcp_server_url'>>(item: T): T {
  const { provider_type, mcp_server_url, ...rest } = item;
  const given = {
    ...(provider_type !== '' && { provider_type }),
    ...(mcp_server_url !== '' && { mcp_server_url }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, without the empty ones
  return { ...rest, ...given } as T;
}

const secretMissing = (): ValidationError =>
  new ValidationError([
    {
      loc: ['body', 'client_secret'],
      ...missing,
      ctx: { reason: 'a new auth_url or token_url takes the client secret in the same request' },
    },
  ]);

const pkceNeeded = (): ValidationError =>
  new ValidationError([
    { loc: ['body', 'uses_pkce'], ...valueError('a client without a secret uses PKCE'), input: false },
  ]);
