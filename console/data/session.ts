import { createClient } from '../../lib/client/client.ts';
import { Refusal } from '../../lib/client/refusal.ts';
import type { ClientOptions, Credentials } from '../../lib/client/request.ts';
import { BASE, PREFIX } from './place.ts';
import { keepKey, keptKey } from './tab-key.ts';
import { onTabs, startTelling, tellTabs } from './tabs.ts';

/** Who is signed in. A cookie would go to the agents' port of the same host too. */
const TENANT = 'slipway.tenant';
/** Where somebody was when their session ended; it is no address of another site. */
const LEFT = 'slipway.left';
/** The first page need not wait longer: an answer that comes later signs in as well. */
const ASK_MILLISECONDS = 150;
/** A link would replace a session that another tab is slow to tell of. */
const ASK_FOR_LINK_MILLISECONDS = 10_000;

/** Of a token of an issuer, which is in the memory of pages alone; only the page that got it can renew it. */
export type Bearer = { token: string; renew?: () => Promise<string>; end?: () => Promise<void> };

const told = new Set<() => void>();

let key = keptKey();
let bearer: Bearer | undefined;
/** Whether the key has opened anything yet: one that has not was never good. */
let hasWorked = false;
let problem: string | undefined;
/** The code of a link that was opened here while somebody was signed in. */
let link: string | undefined;

const tell = (): void => {
  for (const each of told) each();
};

function keep(given: string | null): void {
  key = given;
  hasWorked = false;
  bearer = undefined;
  keepKey(given);
  tell();
}

// A tab that is opened beside asks those that are there.
onTabs((message) => {
  if (message.kind === 'who' && key !== null) void tellTabs({ kind: 'here', key });
  if (message.kind === 'who' && bearer !== undefined) tellToken(bearer);
  if (message.kind === 'who' && !isSignedIn()) void tellTabs({ kind: 'nobody' });
  if (message.kind === 'here' && !isSignedIn()) keep(message.key);
  if (message.kind === 'token') hearToken(message.token);
  if (message.kind === 'gone' && isSignedIn()) keep(null);
});

const isSignedIn = (): boolean => key !== null || bearer !== undefined;
const tellToken = ({ token }: Bearer): void => void tellTabs({ kind: 'token', token });

/** Another page has signed in, or has renewed what this one uses too. */
function hearToken(token: string): void {
  if (!isSignedIn()) signInWith({ token }, false);
  else if (bearer !== undefined && bearer.renew === undefined) bearer = { token };
}

/** Signs in with a token of the issuer. */
export function signInWith(given: Bearer, isTold = true): void {
  keep(null);
  problem = undefined;
  bearer = given;
  tell();
  if (isTold) tellToken(given);
}

/** Whether this is still who is signed in. */
export const isHeld = (given: Bearer): boolean => bearer === given;

/** What a person should know who is asked to sign in. */
export function setProblem(text: string): void {
  problem = text;
  tell();
}

let renewing: Promise<boolean> | undefined;
/** Whether there is a newer token now. However many ask: a refresh token that is used twice may end them all. */
export function renewed(): Promise<boolean> {
  renewing ??= renewBearer().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function renewBearer(): Promise<boolean> {
  const old = bearer;
  if (old?.renew === undefined) return false;
  try {
    old.token = await old.renew();
  } catch {
    return false;
  }
  if (isHeld(old)) tellToken(old);
  return isHeld(old);
}

/** Hears of who signs in and out; what it returns ends that. */
export function onSession(listener: () => void): () => void {
  told.add(listener);
  return () => told.delete(listener);
}

/**
 * Whether somebody is signed in, and what a person should know who is asked to: that a link did not do it, or
 * that the session before goes on. `isAsked`: a link waits for their word before it replaces the session.
 */
export const sessionNow = () => ({ isSignedIn: isSignedIn(), problem, isAsked: link !== undefined });

/** A token says nothing of the tenant, so each request has to. */
export const needsTenant = (): boolean => bearer !== undefined;

/** Who asks, and for which tenant where a credential is good for several. */
export function credentials(): Credentials {
  const tenantId = sessionStorage.getItem(TENANT) ?? undefined;
  return bearer === undefined ? { apiKey: key ?? undefined, tenantId } : { token: bearer.token, tenantId };
}

/** The API as it is asked about a session itself. */
export const clientAs = (who: Credentials, more: Partial<ClientOptions> = {}) =>
  createClient({ url: PREFIX, triesMax: 1, credentials: who, ...more });

export const chosenTenant = (): string | null => sessionStorage.getItem(TENANT);
export function chooseTenant(id: string | null): void {
  if (id === null) sessionStorage.removeItem(TENANT);
  else sessionStorage.setItem(TENANT, id);
  tell();
}

export function signIn(given: string): void {
  problem = undefined;
  keep(given);
  void tellTabs({ kind: 'here', key: given });
}

/** The credential is not good any more: this tab forgets it, and asks for another in the same place. */
export function forget(): void {
  if (!isSignedIn()) return;
  const isEnded = bearer !== undefined || hasWorked;
  problem = isEnded
    ? 'Your session has ended. Sign in again to go on where you were.'
    : 'This key does not work. It may be mistyped, revoked or expired.';
  if (isEnded) sessionStorage.setItem(LEFT, location.pathname + location.search);
  keep(null);
}

/** The credential has opened something. */
export const prove = (): void => {
  hasWorked = true;
};

/** Who has signed in by a link, which leads to the first page, is led back to where their session ended. */
function comeBackToPlace(): void {
  const left = sessionStorage.getItem(LEFT);
  sessionStorage.removeItem(LEFT);
  const isFirst = location.pathname === BASE || location.pathname === `${BASE}/`;
  if (left !== null && isFirst) history.replaceState(null, '', left);
}

/** Ends the session at the API or at the issuer, and in every tab. A key that a person pasted goes on being good elsewhere. */
export async function signOut(): Promise<void> {
  const who = credentials();
  const token = bearer;
  sessionStorage.removeItem(TENANT);
  sessionStorage.removeItem(LEFT);
  problem = undefined;
  keep(null);
  void tellTabs({ kind: 'gone' });
  if (token !== undefined) return endOf(token);
  // Sent to its end also when the tab is closed.
  const send = (address: string, init: RequestInit) => fetch(address, { ...init, keepalive: true });
  const isEnded = await clientAs(who, { fetch: send })
    .ask('DELETE /v2/console-sessions', {})
    // What is refused is over, or was a key that a person pasted.
    .then(
      () => true,
      (error: unknown) => error instanceof Refusal && !error.isPassing,
    );
  if (isEnded) return;
  problem = 'You are signed out here, but the API did not answer: the session goes on for 12 hours at most.';
  tell();
}

async function endOf({ end }: Bearer): Promise<void> {
  await end?.().catch(() =>
    setProblem('You are signed out here, but the issuer did not answer: its tokens go on until they expire.'),
  );
}

/** Takes the code out of the address before anything else looks at it. */
function codeInAddress(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

async function useLink(code: string, onSuccess = (): void => {}): Promise<void> {
  try {
    const { api_key } = await clientAs({}).ask('POST /v2/console-sessions', { body: { code } });
    onSuccess();
    comeBackToPlace();
    signIn(api_key);
  } catch (error) {
    problem = wordsFor(error);
  }
}

const wordsFor = (error: unknown): string =>
  error instanceof Refusal && error.status > 0 ? error.detail : 'The API does not answer. Is it running?';

/** Whether the session that there is still opens anything; where nobody answers, nobody knows. */
async function isOver(): Promise<boolean> {
  const refused = await clientAs(credentials())
    .ask('GET /v2/me', {})
    .catch((error: unknown) => error);
  return refused instanceof Refusal && refused.status === 401;
}

/** Uses a link at once, unless somebody is signed in: then they are asked, for it may be anybody's. */
async function takeLink(code: string): Promise<void> {
  if (isSignedIn() && !(await isOver())) {
    link = code;
    return tell();
  }
  await useLink(code);
}

/** The answer to what a link asks: it takes the place of the session here, or is left as it is. */
export async function answerLink(isUsed: boolean): Promise<void> {
  const code = link;
  link = undefined;
  if (!isUsed || code === undefined) return tell();
  // A link that is no good any more ends no session; which tenant was looked at is none of a new one's.
  await useLink(code, () => sessionStorage.removeItem(TENANT));
  tell();
}

// A link to the very address that is open only changes what stands behind #.
addEventListener('hashchange', () => {
  const code = codeInAddress();
  if (code !== null) void takeLink(code).then(tell);
});

/** Waits for the first tab that says who is signed in, for the word of all that nobody is, or for so long. */
async function askTabs(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const done = () => resolve(undefined);
  let [tabs, denials] = [Number.POSITIVE_INFINITY, 0];
  const ends = [
    onSession(done),
    onTabs((message) => {
      if (message.kind === 'passed') tabs = Math.min(tabs, message.tabs);
      if (message.kind === 'nobody') denials += 1;
      if (denials >= tabs) done();
    }),
  ];
  const timer = setTimeout(done, milliseconds);
  if (await tellTabs({ kind: 'who' })) await promise;
  clearTimeout(timer);
  for (const end of ends) end();
}

/** Who is signed in when the page is opened: by this tab, by another one, or by a link. */
export async function restore(): Promise<void> {
  // Where an earlier version had it.
  sessionStorage.removeItem('slipway.key');
  const code = codeInAddress();
  if (!isSignedIn()) await askTabs(code === null ? ASK_MILLISECONDS : ASK_FOR_LINK_MILLISECONDS);
  if (code !== null) await takeLink(code);
  startTelling();
  // Where the tab before this one had only just started it, nothing has passed the question on yet.
  if (!isSignedIn()) void tellTabs({ kind: 'who' });
}
