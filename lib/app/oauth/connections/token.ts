import { refuse } from '../../../contract/errors.ts';
import type { getConnectionToken as row } from '../../../contract/routes/oauth-connections.ts';
import type { RouteInput, RouteOutput } from '../../../contract/routes/route.ts';
import { auditHandOut } from '../../../core/audit.ts';
import type { Caller } from '../../../core/caller.ts';
import type { Deps } from '../../../core/deps.ts';
import { findConnectedToken, findConnection } from '../../../store/oauth/connections.ts';
import { getProvider } from '../providers/client.ts';
import { type FreshDeps, freshAccessToken } from '../tokens/fresh.ts';
import { ownerOfCaller } from '../tokens/owner.ts';
import { shownTime } from '../tokens/view.ts';

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
  const provider = await getProvider(deps, caller.organizationId, token.provider_id);
  const fresh = await freshAccessToken(deps, token, provider);
  auditHandOut(deps, caller, 'oauth_token.read', { subject_id: token.id });
  return {
    access_token: fresh.accessToken,
    token_type: 'Bearer',
    provider_id: token.provider_id,
    scopes: fresh.token.scopes,
    expires_at: shownTime(fresh.expiresAt),
  };
}
