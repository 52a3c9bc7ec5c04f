import { backOff } from 'exponential-backoff';

const PATIENCE = { numOfAttempts: 6, startingDelay: 100, timeMultiple: 2 };

/** Does what must not be left undone, again and again for some seconds; then throws what the last try threw. */
export const persistently = <T>(attempt: () => Promise<T>): Promise<T> => backOff(attempt, PATIENCE);
