import { type ApiError, refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getNamedProvider } from '../../core/items/oauth-providers.ts';
import { type ExchangeDeps, type Exchanged, exchangeCode, UNAVAILABLE } from './exchange.ts';
import { providerOf, requestOfState } from './find-request.ts';
import { grant } from './grant.ts';
import type { callback as row } from './routes.ts';

type CallbackDeps = ExchangeDeps & Pick<Deps, 'idempotency'>;

/**
 * Takes a code that reached a front end of the user's own, with the credential of the user who began: it
 * proves more than a cookie or a confirmation could. Throws 404 for an unknown provider, `state_refused` for
 * a state that is not theirs, `consent_failed` when the provider gives no token for the code, 503 when it
 * does not answer; the code is spent then, too.
 */
export async function callback(
  deps: CallbackDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const named = await getNamedProvider(deps.table, caller.organizationId, params.provider_id);
  const item = await requestOfState(deps, body.state);
  const isTheirs = item?.tenant_id === caller.tenantId && item.owner_id === caller.userId;
  if (!isTheirs || item.provider_uid !== named.id) throw refuse('state_refused', {});
  const provider = await providerOf(deps, item);
  if (provider === undefined) throw refuse('state_refused', {});
  const exchanged = await exchangeCode(deps, item, provider, parametersOf(body));
  if (exchanged.kind === 'used') throw refuse('state_refused', {});
  if (exchanged.kind === 'failed') throw refusalOf(exchanged, provider.provider_id);
  const shown = { status: 'completed', auth_id: item.id } as const;
  const { request, answer } = exchanged;
  const isKept = await grant(deps, request, provider, answer, {
    requestId: caller.requestId,
    more: deps.idempotency.record(shown),
  });
  if (!isKept) throw refuse('auth_request_over', {});
  return shown;
}

const refusalOf = (
  { error, reason }: Extract<Exchanged, { kind: 'failed' }>,
  providerId: string,
): ApiError =>
  error === UNAVAILABLE
    ? refuse('provider_unavailable', { providerId })
    : refuse('consent_failed', { reason });

/** What the provider added to the redirect URI. */
const parametersOf = (body: Record<string, string | undefined>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(body).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
