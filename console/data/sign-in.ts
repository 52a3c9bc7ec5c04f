import type { Answer } from '../../lib/client/endpoints.ts';
import type { Pending, Tokens } from './oidc.ts';
import { BASE } from './place.ts';
import { type Bearer, clientAs, isHeld, renewed, setProblem, signInWith } from './session.ts';

/** Between leaving for the issuer and coming back. It is no token, and used up when it is read. */
const PENDING = 'slipway.sign-in';
const SIGNED_OUT = 'slipway.signed-out';
/** Renewed after so much of a token's life, which leaves time for a second attempt. */
const RENEW_SHARE = 0.75;
const AGAIN_MILLISECONDS = 10_000;
/** Timers count no further. */
const TIMER_MILLISECONDS_MAX = 2 ** 31 - 1;

export type Issuer = NonNullable<Answer<'GET /v2/sign-in'>['oidc']>;

/** How people sign in here without a key; null: not at all. */
export const issuer = async (): Promise<Issuer | null> =>
  (await clientAs({}).ask('GET /v2/sign-in', {})).oidc;

const library = () => import('./oidc.ts');
/** Every sign-in comes back to this address, which is known at the issuer. */
const redirectUri = `${location.origin}${BASE}/`;

/** Goes to the issuer; who comes back is where they were. */
export async function leaveFor(settings: Issuer): Promise<void> {
  const { begin, inWords } = await library();
  const place = location.pathname + location.search;
  const isAnew = sessionStorage.getItem(SIGNED_OUT) !== null;
  try {
    const { address, pending } = await begin(settings, { redirectUri, place, isAnew });
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
    location.assign(address);
  } catch (error) {
    setProblem(inWords(error, settings));
  }
}

function takePending(): Pending | undefined {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above, in this tab
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

/** Takes up what the issuer has sent the person back with, if this is such an address. */
export async function comeBack(): Promise<void> {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state') || !(answer.has('code') || answer.has('error'))) return;
  const pending = takePending();
  // Before anything else looks at the address; where the person was is also where they should be without it.
  history.replaceState(null, '', pending?.place ?? `${BASE}/`);
  const settings = await issuer().catch(() => null);
  if (settings === null || pending === undefined)
    return setProblem('This sign-in was not begun in this tab, or is over. Sign in again.');
  const { finish, inWords } = await library();
  try {
    use(await finish(settings, { redirectUri, answer, pending }));
    sessionStorage.removeItem(SIGNED_OUT);
  } catch (error) {
    setProblem(inWords(error, settings));
  }
}

/** Signs in with these tokens, and with those that follow them. */
function use(first: Tokens): void {
  let tokens = first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const bearer: Bearer = {
    token: tokens.bearer,
    renew: async () => {
      try {
        tokens = (await tokens.renew?.()) ?? tokens;
      } catch (error) {
        // It renews nothing any more; asking again would not help.
        if ((await library()).isRefusal(error)) tokens = { ...tokens, renew: undefined };
        throw error;
      }
      return tokens.bearer;
    },
    end: async () => {
      sessionStorage.setItem(SIGNED_OUT, '1');
      await tokens.end();
    },
  };
  const plan = (milliseconds: number) => {
    clearTimeout(timer);
    if (tokens.renew === undefined || !isHeld(bearer)) return;
    timer = setTimeout(() => void renewed().then(planNext), Math.min(milliseconds, TIMER_MILLISECONDS_MAX));
  };
  const planNext = (isRenewed: boolean) => {
    if (!isRenewed) plan(AGAIN_MILLISECONDS);
    else if (tokens.expiresInSeconds !== undefined) plan(tokens.expiresInSeconds * 1000 * RENEW_SHARE);
  };
  signInWith(bearer);
  planNext(true);
}
