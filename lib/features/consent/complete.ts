import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { ConditionsFailed, retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { isExpired, providerOf } from './find-request.ts';
import { grant } from './grant.ts';
import type { AuthRequestAt } from './items.ts';
import type { completeConsent as row } from './routes.ts';
import { openAnswer } from './sealed.ts';
import { isConfirmationCode } from './secrets.ts';
import { findAuthRequest, moveToStage } from './store.ts';

type CompleteDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'idempotency'>;

/**
 * The user who asked confirms, with the code that the consenting browser was shown, that it was them. Throws
 * 404 for a request that is not theirs, `auth_request_over` when none waits to be confirmed,
 * `confirmation_refused` for a wrong code; the last one ends the request.
 */
export async function completeConsent(
  deps: CompleteDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const item = await retryRaces(deps.table, () => countAttempt(deps, params.auth_id, caller));
  if (!isConfirmationCode(item.code_hash, body.confirmation_code)) return refuseCode(deps, item);
  const provider = await providerOf(deps, item);
  if (provider === undefined) throw refuse('auth_request_over', {});
  const shown = { status: 'completed', auth_id: item.id } as const;
  const answer = await openAnswer(deps, item, item.sealed_answer);
  const isKept = await grant(deps, item, provider, answer, {
    requestId: caller.requestId,
    more: deps.idempotency.record(shown),
  });
  if (!isKept) throw refuse('auth_request_over', {});
  return shown;
}

/** Counted before it is looked at: so many at once are no more than so many one after the other. */
async function countAttempt(
  deps: CompleteDeps,
  authId: string,
  caller: Caller,
): Promise<AuthRequestAt<'confirming'>> {
  const item = await findAuthRequest(deps.table, caller.tenantId, authId);
  if (item?.owner_id !== caller.userId) throw refuse('auth_request_not_found', { id: authId });
  if (item.stage !== 'confirming' || isExpired(deps, item)) throw refuse('auth_request_over', {});
  if (item.attempts_left === 0) throw refuse('auth_request_over', {});
  const { stage, sealed_answer, code_hash } = item;
  const counted = { stage, sealed_answer, code_hash, attempts_left: item.attempts_left - 1 };
  // A transaction, for its token: two attempts write the same item, so after a lost answer neither could tell
  // its own.
  await transact(deps.table, [moveToStage(item, counted)]);
  return { ...item, ...counted };
}

async function refuseCode(deps: CompleteDeps, item: AuthRequestAt<'confirming'>): Promise<never> {
  if (item.attempts_left === 0)
    await write(deps.table, moveToStage(item, { stage: 'ended', error: 'confirmation_failed' })).catch(
      unlessDecided,
    );
  throw refuse('confirmation_refused', { left: item.attempts_left });
}

/** One with the right code was quicker, or has ended it. */
function unlessDecided(error: unknown): void {
  if (!(error instanceof ConditionsFailed)) throw error;
}
