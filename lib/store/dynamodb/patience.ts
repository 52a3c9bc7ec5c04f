import { randomUUID } from 'node:crypto';
import { type BackoffOptions, backOff } from 'exponential-backoff';
import type { Table } from '../table.ts';

/** Time, pauses and retries; passed in, so that simulations and tests can choose them. */
export type Patience = {
  /** Epoch milliseconds. */
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** Names a request that must take effect once, however often it is sent. */
  newRequestToken(): string;
  /** Tries again after a pause for as long as the options say; then throws what the last try threw. */
  tryAgain<T>(attempt: () => Promise<T>, options: Partial<BackoffOptions>): Promise<T>;
};

export const systemPatience: Patience = {
  now: () => Date.now(),
  newRequestToken: () => randomUUID(),
  pause: (milliseconds) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
  tryAgain: backOff,
};

export const patienceOf = ({ patience = systemPatience }: Pick<Table, 'patience'>): Patience => patience;

/** How long conflicts between concurrent writers are retried before the caller gets 503. */
const CONFLICT_MILLISECONDS_MAX = 5_000;
/** Full jitter spreads writers that collided; the time above ends it, not the count. */
const conflictBackOff = {
  jitter: 'full',
  startingDelay: 10,
  maxDelay: 250,
  timeMultiple: 2,
  numOfAttempts: 1000,
} as const;

/**
 * Tries again, soon and with full jitter, what failed with a passing error; after 5 s, and `attemptsMin`
 * attempts, throws what `tooLate` makes.
 */
export function trySoonAgain<T>(
  table: Pick<Table, 'patience'>,
  attempt: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  tooLate: () => Error,
  attemptsMin = 1,
): Promise<T> {
  const patience = patienceOf(table);
  const startedAt = patience.now();
  const retry = (error: unknown, attempts: number): boolean => {
    if (!isPassing(error)) return false;
    const isLate = patience.now() - startedAt > CONFLICT_MILLISECONDS_MAX;
    if (isLate && attempts >= attemptsMin) throw tooLate();
    return true;
  };
  return patience.tryAgain(attempt, { ...conflictBackOff, retry });
}

/** Longer than throttling and short outages last, and short enough for a request to wait. */
const PERSISTENT = { numOfAttempts: 6, startingDelay: 100, timeMultiple: 2 } as const;

/** Does what must not be left undone, again and again for some 3 s; then throws what the last try threw. */
export const persistently = <T>(table: Pick<Table, 'patience'>, attempt: () => Promise<T>): Promise<T> =>
  patienceOf(table).tryAgain(attempt, PERSISTENT);
