import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import {
  demoteToken,
  exactTokensOf,
  findOwnToken,
  ownerOf,
  ownerOfCaller,
} from '../../core/items/oauth-tokens.ts';
import { isDefaultBeside } from '../../core/oauth/token-rules.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { changeTokenMetadata as row } from './routes.ts';
import type { ChangeTokenBody, OAuthTokenView } from './shape.ts';
import { annotateToken } from './store.ts';
import { oauthTokenViewOf } from './view.ts';

/**
 * Changes what is noted beside a token of the caller; what is absent stays. A token that becomes the default
 * takes that from the others of its person and agent.
 */
export async function changeTokenMetadata(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<OAuthTokenView> {
  const { token_id: id } = params;
  const audit = auditMarkOf(deps, { action: 'oauth_token.change' }, caller);
  return retryRaces(deps.table, async () => {
    const before = await findOwnToken(deps.table, ownerOfCaller(caller), id);
    if (before === undefined) throw refuse('oauth_token_not_found', { id });
    const after = changed(before, body, deps.clock.now());
    const shown = oauthTokenViewOf(after);
    const others =
      body.is_default === true ? await exactTokensOf(deps.table, ownerOf(before), before.provider_id) : [];
    await transact(deps.table, [
      annotateToken(before, after, audit),
      ...others.filter((other) => isDefaultBeside(after, other)).map(demoteToken),
      ...deps.idempotency.record(shown),
    ]);
    return shown;
  });
}

function changed(before: OAuthToken, body: ChangeTokenBody, now: number): OAuthToken {
  const label = body.provider_account_label ?? before.account_label;
  const metadata = body.metadata ?? before.metadata;
  return {
    ...before,
    ...(label !== undefined && { account_label: label }),
    ...(metadata !== undefined && { metadata }),
    is_default: body.is_default ?? before.is_default,
    updated_at: new Date(now).toISOString(),
  };
}
