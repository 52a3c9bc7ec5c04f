import type { TokenAnswer } from '../../adapters/oauth.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getNamedProvider } from '../../core/items/oauth-providers.ts';
import { ownerOfCaller } from '../../core/items/oauth-tokens.ts';
import { keepToken } from '../../core/oauth/keep.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import type { importToken as row } from './routes.ts';
import type { ImportTokenBody, OAuthTokenView } from './shape.ts';
import { oauthTokenViewOf } from './view.ts';

/**
 * Keeps a grant that the caller brings, as if it had just been given; whether it is any good shows when it is
 * used. Throws 404 for an unknown provider.
 */
export async function importToken(
  deps: Pick<Deps, 'table' | 'clock' | 'keys' | 'idempotency'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<OAuthTokenView> {
  const provider = await getNamedProvider(deps.table, caller.organizationId, body.provider_id);
  const owner = { ...ownerOfCaller(caller), userId: body.user_id, agentId: body.agent_id };
  const now = deps.clock.now();
  // One time for the whole of it: the end that was given is the end that is kept.
  const stopped = { ...deps, clock: { ...deps.clock, now: () => now } };
  const { token, writes } = await keepToken(stopped, owner, provider, answerOf(body, now), {
    scopes: body.scopes ?? [],
    isDefault: body.is_default,
    metadata: body.metadata,
    audit: auditMarkOf(deps, { action: 'oauth_token.create' }, caller),
  });
  const shown = oauthTokenViewOf(token);
  await transact(deps.table, [...writes, ...deps.idempotency.record(shown)]);
  return shown;
}

const answerOf = (body: ImportTokenBody, now: number): TokenAnswer => ({
  accessToken: body.access_token,
  ...(body.refresh_token !== undefined && { refreshToken: body.refresh_token }),
  ...(body.expires_at !== undefined && { expiresInSeconds: (body.expires_at - now) / 1000 }),
  ...(body.provider_account_label !== undefined && { accountLabel: body.provider_account_label }),
});
