import type { TokenAnswer } from '../../adapters/oauth.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthProvider } from '../../core/items/oauth-providers.ts';
import { keepToken } from '../../core/oauth/keep.ts';
import { ConditionsFailed, retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import type { AuthRequest } from './items.ts';
import { AUTH_REQUEST, moveToStage } from './store.ts';

type GrantDeps = Pick<Deps, 'table' | 'clock' | 'keys'>;

/**
 * Keeps what the provider granted and completes its request, in one transaction with `more`; `requestId` is
 * of the request that brought it. False, and nothing is kept, when the request was completed or ended
 * meanwhile.
 */
export async function grant(
  deps: GrantDeps,
  item: AuthRequest,
  provider: OAuthProvider,
  answer: TokenAnswer,
  { requestId, more = [] }: { requestId: string | undefined; more?: Write[] },
): Promise<boolean> {
  const owner = {
    tenantId: item.tenant_id,
    ownerId: item.owner_id,
    userId: item.user_id,
    agentId: item.agent_id,
  };
  const asked = {
    tenantId: item.tenant_id,
    userId: item.owner_id,
    keyId: item.key_id,
    ...(requestId !== undefined && { requestId }),
  };
  const audit = auditMarkOf(deps, { action: 'oauth_token.create' }, asked);
  const wish = { scopes: item.scopes, isDefault: item.is_default, tokenId: item.replaces, audit };
  return retryRaces(deps.table, async () => {
    const { token, writes } = await keepToken(deps, owner, provider, answer, wish);
    const completed = moveToStage(item, { stage: 'completed', granted_token_id: token.id });
    try {
      await transact(deps.table, [completed, ...writes, ...more]);
      return true;
    } catch (error) {
      if (error instanceof ConditionsFailed && error.failed.has(AUTH_REQUEST)) return false;
      throw error;
    }
  });
}
