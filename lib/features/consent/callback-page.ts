import type { TokenAnswer } from '../../adapters/oauth.ts';
import type { Page, PageRequest } from '../../contract/browser/page.ts';
import { isNameOfId, type OAuthProvider } from '../../core/items/oauth-providers.ts';
import { write } from '../../store/dynamodb/write.ts';
import { CONSENT_SECONDS, clearCookie } from './cookie.ts';
import { type ExchangeDeps, type Exchanged, type Exchanging, exchangeCode } from './exchange.ts';
import { isInBrowserOf, pathParameter, providerOf, requestOfState } from './find-request.ts';
import { grant } from './grant.ts';
import { confirmPage, connectedPage, notConnectedPage, otherBrowserPage, overPage } from './pages.ts';
import { sealAnswer } from './sealed.ts';
import { newConfirmationCode } from './secrets.ts';
import { expiryOf, moveToStage } from './store.ts';

const CONFIRMATION_ATTEMPTS = 5;

/**
 * Where the provider sends the person's browser back to. Only the browser that went there counts; anybody
 * else's changes nothing, not even the state, so that the right one can still come.
 */
export async function callbackPage(deps: ExchangeDeps, request: PageRequest): Promise<Page> {
  const item = await requestOfState(deps, only(request.query, 'state'));
  const named = pathParameter(request, 'provider_id');
  const isMeant =
    item !== undefined &&
    (item.provider_id === named || isNameOfId(named, item.provider_uid)) &&
    leadsHere(item.redirect_uri, request);
  if (!isMeant) return overPage();
  if (!isInBrowserOf(item, request)) return otherBrowserPage();
  const provider = await providerOf(deps, item);
  if (provider === undefined) return overPage();
  const exchanged = await exchangeCode(deps, item, provider, request.query);
  if (exchanged.kind === 'used') return overPage();
  const page =
    exchanged.kind === 'failed'
      ? notConnectedPage(provider.name, exchanged.reason)
      : await granted(deps, request, exchanged, provider);
  return { ...page, cookies: [clearCookie(item.id, request.baseUrl)] };
}

/** A parameter that is there once. */
function only(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  return more.length === 0 ? value : undefined;
}

/** Whether a code that was asked for with this redirect URI can have come this way. */
const leadsHere = (redirectUri: string, { path }: PageRequest): boolean =>
  decodeURIComponent(new URL(redirectUri).pathname).endsWith(decodeURIComponent(path));

async function granted(
  deps: ExchangeDeps,
  { requestId }: PageRequest,
  { request: item, answer }: Extract<Exchanged, { kind: 'granted' }>,
  provider: OAuthProvider,
): Promise<Page> {
  if (item.user_binding === 'strict') return awaitConfirmation(deps, item, provider, answer);
  const isKept = await grant(deps, item, provider, answer, { requestId });
  return isKept ? connectedPage(provider.name) : overPage();
}

/**
 * The cookie says which browser consented, not whose it is: the token waits until the user who asked proves
 * to have seen this page.
 */
async function awaitConfirmation(
  deps: ExchangeDeps,
  item: Exchanging,
  provider: OAuthProvider,
  answer: TokenAnswer,
): Promise<Page> {
  const code = newConfirmationCode();
  const confirming = {
    stage: 'confirming',
    sealed_answer: await sealAnswer(deps, item, answer),
    code_hash: code.hash,
    attempts_left: CONFIRMATION_ATTEMPTS,
  } as const;
  await write(deps.table, moveToStage(item, confirming, expiryOf(deps.clock.now(), CONSENT_SECONDS)));
  return confirmPage(provider.name, code.text);
}
