import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditHandOut } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findOwnToken } from '../../core/items/oauth-tokens.ts';
import { openTokens } from '../../core/oauth/sealed-tokens.ts';
import { patienceOf } from '../../store/dynamodb/patience.ts';
import { isExpired } from './find-request.ts';
import type { AuthRequestAt } from './items.ts';
import type { waitForConsent as row } from './routes.ts';
import { findAuthRequest } from './store.ts';

type WaitDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'auditLog'>;
type Answer = RouteOutput<typeof row>;
type Input = Pick<RouteInput<typeof row>, 'params' | 'query'>;

/** API Gateway cuts off after 30 s and its functions end after 29; this leaves time to be asked again in. */
const ANSWER_AFTER_MILLISECONDS = 25_000;
/** People notice no half second, and it costs two reads a second at most. */
const POLL_MILLISECONDS = { first: 500, later: 1000 } as const;
/** Most consents that come soon come within this. */
const SOON_MILLISECONDS = 10_000;

/**
 * Waits for a person's consent: `completed` with the token, `not_found` when nothing will come of it (or it
 * is not the caller's), `timeout` when the time that was asked for is over. What a gateway would cut off is
 * led on to the same address with what is left of that time.
 */
export async function waitForConsent(
  deps: WaitDeps,
  { params, query }: Input,
  caller: Caller,
): Promise<Answer> {
  const startedAt = deps.clock.now();
  const passed = () => deps.clock.now() - startedAt;
  const askedMilliseconds = query.timeout * 1000;
  for (;;) {
    const answer = await outcomeOf(deps, params.auth_id, caller);
    if (answer !== undefined) return answer;
    const left = askedMilliseconds - passed();
    if (left <= 0) return { status: 'timeout' };
    const untilAnswer = ANSWER_AFTER_MILLISECONDS - passed();
    if (untilAnswer <= 0) return redirected(params.auth_id, left);
    const every = passed() < SOON_MILLISECONDS ? POLL_MILLISECONDS.first : POLL_MILLISECONDS.later;
    await patienceOf(deps.table).pause(Math.min(every, left, untilAnswer));
  }
}

/** Relative to the address that was asked: under whatever prefix and name that was. */
const redirected = (authId: string, leftMilliseconds: number): Answer => ({
  status: 'pending',
  location: `${authId}?timeout=${Math.max(0.1, Math.floor(leftMilliseconds / 100) / 10)}`,
});

/** How the request stands; undefined while something may still come. */
async function outcomeOf(deps: WaitDeps, authId: string, caller: Caller): Promise<Answer | undefined> {
  const item = await findAuthRequest(deps.table, caller.tenantId, authId);
  if (item?.owner_id !== caller.userId) return { status: 'not_found' };
  if (item.stage === 'completed') return completed(deps, item, caller);
  if (item.stage === 'ended') return { status: 'not_found', error: item.error };
  return isExpired(deps, item) ? { status: 'not_found', error: 'expired' } : undefined;
}

/** The token as it was granted: that is minutes ago. One that has gone since is not found. */
async function completed(
  deps: WaitDeps,
  { granted_token_id }: AuthRequestAt<'completed'>,
  caller: Caller,
): Promise<Answer> {
  const { tenantId, userId } = caller;
  const token = await findOwnToken(deps.table, { tenantId, ownerId: userId }, granted_token_id);
  if (token === undefined) return { status: 'not_found', error: 'token_deleted' };
  const { access_token } = await openTokens(deps, { ...token, token_id: token.id });
  auditHandOut(deps, { action: 'oauth_token.read', subject_id: token.id }, caller);
  return {
    status: 'completed',
    token: access_token,
    ...(token.user_id !== undefined && { user_id: token.user_id }),
    ...(token.metadata !== undefined && { metadata: token.metadata }),
  };
}
