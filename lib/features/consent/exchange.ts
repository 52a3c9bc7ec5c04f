import { OAuthError, type TokenAnswer } from '../../adapters/oauth.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthProvider } from '../../core/items/oauth-providers.ts';
import { clientOf } from '../../core/oauth/client.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { AuthRequestAt } from './items.ts';
import { openText } from './sealed.ts';
import { AUTH_REQUEST, moveToStage } from './store.ts';

export type ExchangeDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'oauth'>;
export type Exchanging = AuthRequestAt<'exchanging'>;

/**
 * `used`: somebody else has taken the state. `failed`: the request has ended; `error` is for programs,
 * `reason` for people.
 */
export type Exchanged =
  | { kind: 'granted'; request: Exchanging; answer: TokenAnswer }
  | { kind: 'used' }
  | { kind: 'failed'; error: string; reason: string };

/** The person waits, and nothing stands between but a gateway that gives up after 30 s. */
const EXCHANGE_MILLISECONDS_MAX = 15_000;

/** Takes the state of a request, once and for all, and exchanges the code that came with it. */
export async function exchangeCode(
  deps: ExchangeDeps,
  item: AuthRequestAt<'consenting'>,
  provider: OAuthProvider,
  callback: URLSearchParams,
): Promise<Exchanged> {
  const request = await taken(deps, item);
  if (request === undefined) return { kind: 'used' };
  try {
    return { kind: 'granted', request, answer: await answerTo(deps, request, provider, callback) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const failed = { kind: 'failed', error: wordOf(error), reason: error.message } as const;
    await write(deps.table, moveToStage(request, { stage: 'ended', error: failed.error }));
    return failed;
  }
}

async function taken(deps: ExchangeDeps, item: AuthRequestAt<'consenting'>): Promise<Exchanging | undefined> {
  const { cookie_hash, state_hash, sealed_verifier } = item;
  const begun = { cookie_hash, state_hash, ...(sealed_verifier !== undefined && { sealed_verifier }) };
  try {
    // With its token: whoever takes it takes it alone, also when an answer is lost.
    await transact(deps.table, [moveToStage(item, { stage: 'exchanging', ...begun })]);
  } catch (error) {
    if (error instanceof ConditionsFailed && error.failed.has(AUTH_REQUEST)) return undefined;
    throw error;
  }
  return { ...item, stage: 'exchanging' };
}

async function answerTo(
  deps: ExchangeDeps,
  request: Exchanging,
  provider: OAuthProvider,
  callback: URLSearchParams,
): Promise<TokenAnswer> {
  const verifier =
    request.sealed_verifier === undefined
      ? {}
      : { verifier: await openText(deps, request, request.sealed_verifier) };
  const exchange = {
    callback,
    // `requestOfState` has verified it against the stored hash; the text itself is not stored.
    state: callback.get('state') ?? '',
    redirectUri: request.redirect_uri,
    ...verifier,
  };
  const signal = AbortSignal.timeout(EXCHANGE_MILLISECONDS_MAX);
  return deps.oauth.exchange(await clientOf(deps, provider), exchange, signal);
}

/** As OAuth spells its own codes; anything else the provider may have put there stays with it. */
const CODE = /^[\w.-]{1,64}$/;

/** How a request ends that the person said no to, in whichever of OAuth's words the provider says so. */
const DENIED = 'denied';
const ACCESS_DENIED = 'access_denied';

/** The provider did not answer, or could not. */
export const UNAVAILABLE = 'provider_unavailable';

const words = {
  invalid_grant: 'invalid_grant',
  refused: 'consent_refused',
  transient: UNAVAILABLE,
  hostile: 'provider_answer_invalid',
} as const;

function wordOf({ kind, code }: OAuthError): string {
  if (code === ACCESS_DENIED) return DENIED;
  return kind !== 'transient' && code !== undefined && CODE.test(code) ? code : words[kind];
}
