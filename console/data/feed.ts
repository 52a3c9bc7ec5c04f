import { useEffect, useState } from 'preact/hooks';
import { Refusal } from '../../lib/client/refusal.ts';
import { isMovingIn, outdatedBy } from '../logic/feed.ts';
import { ask } from './api.ts';
import { isPassing, queryClient } from './poll.ts';
import { onSession } from './session.ts';

/** How often the feed is asked: while something that is shown moves, otherwise, and after a failure. */
const MOVING_MILLISECONDS = 2_000;
const STILL_MILLISECONDS = 15_000;
const FAILED_MILLISECONDS = 5_000;
/** Timers come a little early or late. */
const TIMER_MILLISECONDS = 200;
/** A request that a sleeping machine has lost does not keep the next one waiting. */
const ANSWER_MILLISECONDS = 30_000;
/** Who was away for longer sees everything anew: what no event tells may have changed as well. */
const AWAY_MILLISECONDS = 60_000;
/** More than so many are not looked at one by one. */
const EVENTS_MAX = 100;

const isAnythingMoving = (): boolean =>
  queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state: { data } }) => isMovingIn(data));

/** Who is signed in is no part of the feed. */
const askEverythingAgain = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'me' });

/**
 * What has failed for a reason that passes is asked again once the service answers. A query that gives up
 * stays that way by itself.
 */
const askFailedAgain = (): Promise<void> =>
  queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state: { error, fetchStatus } }) => fetchStatus === 'idle' && isPassing(error),
  });

/**
 * The number of the last event that is known, after asking for those that follow `after`, and for whatever
 * they make old. Without `after`, and where it is not known what came since, everything is asked again: an
 * event may have come before its number was known. Throws as `ask` does.
 */
async function catchUp(after: number | undefined, signal: AbortSignal): Promise<number> {
  const query = after === undefined ? { newest: true } : { after, limit: EVENTS_MAX };
  const page = await ask('GET /v2/events', { query }, signal);
  if (after === undefined || page.missed > 0) void askEverythingAgain();
  else for (const queryKey of outdatedBy(page.resources)) void queryClient.invalidateQueries({ queryKey });
  return page.after;
}

/** Of another table, or of this one before it was restored: the feed does not go on from there. */
const isUnknownNumber = (error: Error): boolean => error instanceof Refusal && error.status === 422;

/** When the feed was asked last, in epoch milliseconds, and whether it answered. */
type Asked = { at: number; isFailed: boolean };

function isDue({ at, isFailed }: Asked): boolean {
  const passed = Date.now() - at + TIMER_MILLISECONDS;
  if (isFailed) return passed >= FAILED_MILLISECONDS;
  return passed >= STILL_MILLISECONDS || (passed >= MOVING_MILLISECONDS && isAnythingMoving());
}

/** Asks the feed when it is due; `onState` hears what was wrong with the last request. */
function feedReader(onState: (problem: Error | undefined) => void, gone: AbortSignal) {
  let after: number | undefined;
  let last: Asked = { at: 0, isFailed: false };
  let isAsking = false;
  const look = async () => {
    isAsking = true;
    last = { at: Date.now(), isFailed: false };
    try {
      after = await catchUp(after, AbortSignal.any([gone, AbortSignal.timeout(ANSWER_MILLISECONDS)]));
      onState(undefined);
      void askFailedAgain();
    } catch (error) {
      if (gone.aborted || !(error instanceof Error)) return;
      last.isFailed = true;
      if (isUnknownNumber(error)) after = undefined;
      else if (isPassing(error)) onState(error);
    } finally {
      isAsking = false;
    }
  };
  return {
    lookIfDue: () => void (document.hidden || isAsking || !isDue(last) || look()),
    lookNow: () => void (document.hidden || isAsking || look()),
    beginAnew: () => {
      after = undefined;
    },
  };
}

/** Follows the feed until what it returns is called. */
function followFeed(onState: (problem: Error | undefined) => void): () => void {
  const gone = new AbortController();
  const reader = feedReader(onState, gone.signal);
  const timer = setInterval(reader.lookIfDue, MOVING_MILLISECONDS);
  let hiddenSince: number | undefined;
  const onVisible = () => {
    if (document.hidden) {
      hiddenSince ??= Date.now();
      return;
    }
    if (hiddenSince !== undefined && Date.now() - hiddenSince > AWAY_MILLISECONDS) reader.beginAnew();
    hiddenSince = undefined;
    reader.lookNow();
  };
  document.addEventListener('visibilitychange', onVisible, gone);
  addEventListener('online', reader.lookNow, gone);
  // Another person's, or another tenant's, has other numbers.
  const stop = onSession(reader.beginAnew);
  return () => {
    gone.abort();
    clearInterval(timer);
    stop();
  };
}

/** Keeps what is shown true, and gives what was wrong with the last request for news. */
export function useFeed(): Error | undefined {
  const [problem, setProblem] = useState<Error>();
  useEffect(() => followFeed(setProblem), []);
  return problem;
}
