import { type OAuthClient, OAuthError } from '../../adapters/oauth.ts';
import type { Deps } from '../../core/deps.ts';
import { findProvider } from '../../core/items/oauth-providers.ts';
import type { Revocation } from '../../core/items/oauth-revocations.ts';
import { clientOf } from '../../core/oauth/client.ts';
import { openTokens } from '../../core/oauth/sealed-tokens.ts';
import { isFrom } from '../../core/oauth/token-rules.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { dueRevocations, forgetRevocation, postponeRevocation, revocationsIn } from './store.ts';

export type RevokeDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'oauth'>;

/** A request answers within 5 s: so much of that it tries for itself. */
const AT_ONCE_MILLISECONDS_MAX = 3_000;
/** Nobody waits for the schedule. */
const LATER_MILLISECONDS_MAX = 10_000;
const RETRY_MILLISECONDS = { least: 60_000, most: 3_600_000 } as const;
/** After this time without an answer, revocation at the provider is given up. */
const GIVE_UP_MILLISECONDS = 24 * 3_600_000;
const SIDE_BY_SIDE = 10;

/**
 * Tells the providers now, as far as they answer in time. Never throws: what they did not hear stays for the
 * schedule.
 */
export async function revokeAtOnce(deps: RevokeDeps, revocations: readonly Revocation[]): Promise<void> {
  const signal = AbortSignal.timeout(AT_ONCE_MILLISECONDS_MAX);
  await Promise.allSettled(revocations.map((item) => revoke(deps, item, signal)));
}

/**
 * Tells providers what they could not be told before; what fails is tried again, ever more seldom, for a day.
 * `all` also takes what is due later. Returns how many were looked at, and how many failed.
 */
export async function revokeDue(
  deps: RevokeDeps,
  { all }: { all: boolean },
  onError: (error: unknown, tokenId: string) => void,
): Promise<{ looked: number; failed: number }> {
  const until = all ? Number.MAX_SAFE_INTEGER : deps.clock.now();
  const queue = await dueRevocations(deps.table, until);
  const result = { looked: 0, failed: 0 };
  const worker = async (): Promise<void> => {
    for (let pk = queue.pop(); pk !== undefined; pk = queue.pop()) {
      for await (const item of revocationsIn(deps.table, pk)) {
        result.looked += 1;
        await revoke(deps, item, AbortSignal.timeout(LATER_MILLISECONDS_MAX)).catch(
          async (error: unknown) => {
            result.failed += 1;
            onError(error, item.token_id);
            await postpone(deps, item);
          },
        );
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return result;
}

/**
 * Revokes what there is and forgets it. A provider that is gone, or is another one by now, is told nothing.
 */
async function revoke(deps: RevokeDeps, item: Revocation, signal: AbortSignal): Promise<void> {
  const provider = await findProvider(deps.table, item.organization_id, item.provider_id);
  if (provider?.revocation_url !== undefined && isFrom(item, provider)) {
    const tokens = await openTokens(deps, item);
    const client = await clientOf(deps, provider);
    // Most providers end the whole grant with its refresh token, and some know of nothing else.
    if (tokens.refresh_token !== undefined)
      await revokeToken(deps, client, tokens.refresh_token, 'refresh_token', signal);
    await revokeToken(deps, client, tokens.access_token, 'access_token', signal);
  }
  await write(deps.table, forgetRevocation(item));
}

/**
 * A provider that says no for good is not asked again; that it does not know our secret is for its
 * administrator to mend.
 */
async function revokeToken(
  { oauth }: RevokeDeps,
  client: OAuthClient,
  token: string,
  hint: 'refresh_token' | 'access_token',
  signal: AbortSignal,
): Promise<void> {
  try {
    await oauth.revoke(client, token, hint, signal);
  } catch (error) {
    const isFinal =
      error instanceof OAuthError && error.kind === 'refused' && error.code !== 'invalid_client';
    if (!isFinal) throw error;
  }
}

async function postpone(deps: RevokeDeps, item: Revocation): Promise<void> {
  const now = deps.clock.now();
  const pause = Math.min(RETRY_MILLISECONDS.most, RETRY_MILLISECONDS.least * 2 ** item.attempts);
  const next =
    now - item.created_at > GIVE_UP_MILLISECONDS
      ? forgetRevocation(item)
      : postponeRevocation(item, now + pause);
  await write(deps.table, next).catch((error: unknown) => {
    if (!(error instanceof ConditionsFailed)) throw error;
  });
}
