import type { TokenAnswer } from '../../adapters/oauth.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Deps } from '../deps.ts';
import type { AuditMark } from '../items/audit-events.ts';
import type { OAuthProvider } from '../items/oauth-providers.ts';
import type { OAuthToken } from '../items/oauth-token-shapes.ts';
import {
  demoteToken,
  exactTokensOf,
  ownerOf,
  putToken,
  type TokenOwner,
  tokensOf,
} from '../items/oauth-tokens.ts';
import { sealTokens } from './sealed-tokens.ts';
import { coversScopes, isDefaultBeside, lifetimeOf } from './token-rules.ts';

type KeepDeps = Pick<Deps, 'table' | 'clock' | 'keys'>;

type More = {
  /** Those that were asked for; what the provider says it granted goes before. */
  scopes: readonly string[];
  isDefault?: boolean | undefined;
  /** The token that is granted anew. */
  tokenId?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** Who asked. */
  audit?: AuditMark;
};

/**
 * The writes that keep what a provider has granted, to be made in the transaction that says so. A grant of
 * the same owner at the same provider is replaced when `tokenId` names it or the new one covers its scopes:
 * the token keeps its id, its metadata and its connections. What is replaced is not revoked: a provider that
 * ties all of a person's tokens together would end the new grant with it.
 *
 * The writes have no conditions: of two consents at once the later one counts, and none is lost.
 */
export async function keepToken(
  deps: KeepDeps,
  owner: TokenOwner,
  provider: OAuthProvider,
  answer: TokenAnswer,
  more: More,
): Promise<{ token: OAuthToken; writes: Write[] }> {
  const scopes = [...new Set(answer.scopes ?? more.scopes)];
  const own = await tokensOf(deps.table, owner, provider.provider_id);
  const before =
    own.find(({ id }) => id === more.tokenId) ?? (await replacedBy(deps, owner, provider, scopes));
  const token = await granted(deps, owner, provider, { answer, more, scopes, before });
  const demoted = token.is_default ? own.filter((other) => isDefaultBeside(token, other)) : [];
  return { token, writes: [...putToken(token, more.audit), ...demoted.map(demoteToken)] };
}

/** The grant whose place the new one takes: the default one if it is covered, else the newest that is. */
async function replacedBy(
  { table }: KeepDeps,
  owner: TokenOwner,
  provider: OAuthProvider,
  scopes: string[],
): Promise<OAuthToken | undefined> {
  const covered = (await exactTokensOf(table, owner, provider.provider_id)).filter((other) =>
    coversScopes({ scopes }, other.scopes),
  );
  return covered.find(({ is_default }) => is_default) ?? covered.at(-1);
}

type Granted = { answer: TokenAnswer; more: More; scopes: string[]; before: OAuthToken | undefined };

async function granted(
  deps: KeepDeps,
  owner: TokenOwner,
  provider: OAuthProvider,
  { answer, more, scopes, before }: Granted,
): Promise<OAuthToken> {
  const now = deps.clock.now();
  const at = new Date(now).toISOString();
  const { tenantId, ownerId, userId, agentId } = before === undefined ? owner : ownerOf(before);
  const id = before?.id ?? deps.clock.orderedId();
  const tokens = { access_token: answer.accessToken, refresh_token: answer.refreshToken };
  const hasRefreshToken = answer.refreshToken !== undefined;
  const metadata = more.metadata ?? before?.metadata;
  const label = answer.accountLabel ?? before?.account_label;
  return {
    v: 1,
    entity: 'oauth_token',
    tenant_id: tenantId,
    id,
    owner_id: ownerId,
    user_id: userId,
    agent_id: agentId,
    organization_id: provider.organization_id,
    provider_id: provider.provider_id,
    provider_uid: provider.id,
    token_url: provider.token_url,
    sealed: await sealTokens(deps, { tenant_id: tenantId, token_id: id }, tokens),
    has_refresh_token: hasRefreshToken,
    status: 'active',
    scopes,
    ...(label !== undefined && { account_label: label }),
    is_default: more.isDefault ?? before?.is_default ?? false,
    ...(metadata !== undefined && { metadata }),
    ...lifetimeOf(answer, hasRefreshToken, now),
    version: (before?.version ?? 0) + 1,
    created_at: before?.created_at ?? at,
    updated_at: at,
  };
}
