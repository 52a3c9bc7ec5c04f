import type { Page, PageRequest } from '../../contract/browser/page.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthProvider } from '../../core/items/oauth-providers.ts';
import { clientOf } from '../../core/oauth/client.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { CONSENT_SECONDS, cookieOf, setCookie } from './cookie.ts';
import { isInBrowserOf, pathParameter, providerOf, requestOfNonce } from './find-request.ts';
import type { AuthRequest, AuthRequestAt } from './items.ts';
import { otherBrowserPage, overPage, unprovenFormPage } from './pages.ts';
import { sealText } from './sealed.ts';
import { isFormTokenOf, newPageSecret, newTicket, newVerifier } from './secrets.ts';
import { expiryOf, moveToStage } from './store.ts';

type BeginDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'oauth'>;

/**
 * Binds a request to the browser that posts its form, and sends it on to the provider. The same browser may
 * begin again, with a new state each time; any other one is refused and changes nothing.
 */
export async function begin(deps: BeginDeps, request: PageRequest): Promise<Page> {
  const found = await requestOfNonce(deps, pathParameter(request, 'nonce'));
  if (found === undefined) return overPage();
  const { item, ticket } = found;
  const isOurForm =
    request.isFromOwnPage !== false && isFormTokenOf(ticket, request.form.get('form_token') ?? '');
  if (!isOurForm) return unprovenFormPage();
  if (item.stage !== 'created' && item.stage !== 'consenting') return overPage();
  if (item.stage === 'consenting' && !isInBrowserOf(item, request)) return otherBrowserPage();
  const provider = await providerOf(deps, item);
  return provider === undefined ? overPage() : goOn(deps, request, item, provider);
}

async function goOn(
  deps: BeginDeps,
  { baseUrl, cookies }: PageRequest,
  item: AuthRequest,
  provider: OAuthProvider,
): Promise<Page> {
  const cookie =
    item.stage === 'consenting'
      ? {
          text: Buffer.from(cookieOf(cookies, item.id, baseUrl)).toString('base64url'),
          hash: item.cookie_hash,
        }
      : newPageSecret();
  const state = newTicket(item.tenant_id, item.id);
  const pkce = provider.uses_pkce ? newVerifier() : undefined;
  const begun: Pick<
    AuthRequestAt<'consenting'>,
    'stage' | 'cookie_hash' | 'state_hash' | 'sealed_verifier'
  > = {
    stage: 'consenting',
    cookie_hash: cookie.hash,
    state_hash: state.hash,
    ...(pkce !== undefined && { sealed_verifier: await sealText(deps, item, pkce.verifier) }),
  };
  // Before the write: a browser that got no cookie could not go on.
  const location = deps.oauth.authorizationUrl(await clientOf(deps, provider), {
    redirectUri: item.redirect_uri,
    scopes: item.scopes,
    state: state.text,
    ...(pkce !== undefined && { challenge: pkce.challenge, challengeMethod: 'S256' }),
    params: provider.authorization_params,
  });
  try {
    await write(deps.table, moveToStage(item, begun, expiryOf(deps.clock.now(), CONSENT_SECONDS)));
  } catch (error) {
    // Another browser was quicker.
    if (error instanceof ConditionsFailed) return otherBrowserPage();
    throw error;
  }
  return { status: 303, location, cookies: [setCookie(item.id, baseUrl, cookie.text)] };
}
