import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditHandOut } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findProvider } from '../../core/items/oauth-providers.ts';
import { ownerOfCaller } from '../../core/items/oauth-tokens.ts';
import { type FreshDeps, freshAccessToken } from '../../core/oauth/fresh.ts';
import { shownTime } from '../../core/oauth/token-rules.ts';
import type { getConnectionToken as row } from './routes.ts';
import { findConnectedToken, findConnection } from './store.ts';

/**
 * Gives an access token of a connection of the caller, refreshed where it must be. Throws 404 also for
 * another user's connection, `token_expired` when the person has to consent again, `provider_unavailable`.
 */
export async function getConnectionToken(
  deps: FreshDeps & Pick<Deps, 'auditLog'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { connection_id: id, agent_id: agentId } = params;
  const item = await findConnection(deps.table, { ...ownerOfCaller(caller), agentId }, id);
  const token = item && (await findConnectedToken(deps.table, item));
  if (token === undefined) throw refuse('connection_not_found', { id });
  const { provider_id: providerId } = token;
  const provider = await findProvider(deps.table, caller.organizationId, providerId);
  if (provider === undefined) throw refuse('oauth_provider_not_found', { providerId });
  const fresh = await freshAccessToken(deps, token, provider);
  auditHandOut(deps, { action: 'oauth_token.read', subject_id: token.id }, caller);
  return {
    access_token: fresh.accessToken,
    token_type: 'Bearer',
    provider_id: providerId,
    scopes: fresh.token.scopes,
    expires_at: shownTime(fresh.expiresAt),
  };
}
