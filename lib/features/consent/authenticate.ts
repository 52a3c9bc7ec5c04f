import { ValidationError } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditHandOut, auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getNamedProvider, type OAuthProvider } from '../../core/items/oauth-providers.ts';
import type { FreshDeps, FreshToken } from '../../core/oauth/fresh.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { authenticate as row } from './routes.ts';
import { newTicket } from './secrets.ts';
import { expiryOf, putAuthRequest } from './store.ts';
import { noGrant, type StoredGrant, storedGrant } from './stored-grant.ts';

type Input = Pick<RouteInput<typeof row>, 'body' | 'baseUrl'>;
type Answer = RouteOutput<typeof row>;

/** A link may lie for so long before somebody opens it. */
const UNOPENED_SECONDS = 600;

const statusOf = {
  none: 'pending',
  elsewhere: 'connection_required',
  expired: 'token_expired',
} as const satisfies Record<Exclude<StoredGrant['kind'], 'usable'>, Answer['status']>;

/**
 * An access token for a person at a provider, when one is stored that covers the scopes; else the address at
 * which the person consents. Throws 404 for an unknown provider or `token_id`, 422 for a redirect URI that is
 * not allowed, 503 when the stored grant has to be refreshed and the provider does not answer.
 */
export async function authenticate(
  deps: FreshDeps & Pick<Deps, 'auditLog'>,
  { body, baseUrl }: Input,
  caller: Caller,
): Promise<Answer> {
  const provider = await getNamedProvider(deps.table, caller.organizationId, body.provider);
  const redirectUri = redirectUriFor(provider, body.redirect_uri, baseUrl);
  const owner = {
    tenantId: caller.tenantId,
    ownerId: caller.userId,
    userId: body.user_id,
    agentId: body.agent_id,
  };
  const wish = { scopes: body.scopes, tokenId: body.token_id };
  const find = body.force_new === true ? noGrant : storedGrant;
  const stored = await find(deps, owner, provider, wish);
  if (stored.kind === 'usable') {
    auditHandOut(deps, { action: 'oauth_token.read', subject_id: stored.fresh.token.id }, caller);
    return completed(stored.fresh);
  }
  const replaces = body.token_id ?? (stored.kind === 'expired' ? stored.token.id : undefined);
  const asked = await keepRequest(deps, { provider, body, baseUrl, redirectUri, replaces }, caller);
  return {
    status: statusOf[stored.kind],
    ...asked,
    ...(body.user_id !== undefined && { user_id: body.user_id }),
  };
}

const completed = ({ accessToken, token }: FreshToken): Answer => ({
  status: 'completed',
  url: null,
  auth_id: null,
  token: accessToken,
  ...(token.user_id !== undefined && { user_id: token.user_id }),
  ...(token.metadata !== undefined && { metadata: token.metadata }),
});

type NewRequest = Input & { provider: OAuthProvider; redirectUri: string; replaces: string | undefined };

/** Keeps the request, and gives the address of its page. */
async function keepRequest(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  { provider, body, baseUrl, redirectUri, replaces }: NewRequest,
  caller: Caller,
): Promise<{ url: string; auth_id: string }> {
  const id = clock.orderedId();
  const nonce = newTicket(caller.tenantId, id);
  const now = clock.now();
  const item = {
    v: 1,
    entity: 'auth_request',
    stage: 'created',
    tenant_id: caller.tenantId,
    id,
    organization_id: caller.organizationId,
    owner_id: caller.userId,
    key_id: caller.keyId,
    user_id: body.user_id,
    agent_id: body.agent_id,
    provider_id: provider.provider_id,
    provider_uid: provider.id,
    token_url: provider.token_url,
    scopes: body.scopes,
    ...(body.is_default !== undefined && { is_default: body.is_default }),
    ...(replaces !== undefined && { replaces }),
    redirect_uri: redirectUri,
    user_binding: provider.user_binding,
    nonce_hash: nonce.hash,
    created_at: new Date(now).toISOString(),
    ...expiryOf(now, UNOPENED_SECONDS),
  } as const;
  await write(table, putAuthRequest(item, auditMarkOf({ clock }, { action: 'consent.request' }, caller)));
  return { url: `${baseUrl}/v2/auth/begin/${nonce.text}`, auth_id: id };
}

/** The second address of every route; what is registered at a provider names the first. */
const ALIAS = /\/api-host$/;

/** The default address to which the provider sends the browser back. */
const ownRedirectUri = (baseUrl: string, providerId: string): string =>
  `${baseUrl.replace(ALIAS, '')}/v2/auth/callback/${providerId}`;

/**
 * The redirect URI of a request: the one it names, which must be allowed (422), else the first that is, else
 * our own.
 */
function redirectUriFor(
  { provider_id, allowed_redirect_uris: allowed }: OAuthProvider,
  asked: string | undefined,
  baseUrl: string,
): string {
  const own = ownRedirectUri(baseUrl, provider_id);
  if (asked === undefined) return allowed[0] ?? own;
  // Compared as texts, as providers do (RFC 9700 §4.1.3).
  if (asked === own || allowed.includes(asked)) return asked;
  throw new ValidationError([
    {
      loc: ['body', 'redirect_uri'],
      type: 'value_error',
      msg: "Value error, it is none of the provider's allowed_redirect_uris",
      input: asked,
    },
  ]);
}
