import { patienceOf } from './patience.ts';
import type { Table } from './table.ts';

const PATIENCE = { numOfAttempts: 6, startingDelay: 100, timeMultiple: 2 };

/** Does what must not be left undone, again and again for some seconds; then throws what the last try threw. */
export const persistently = <T>(table: Table, attempt: () => Promise<T>): Promise<T> =>
  patienceOf(table).tryAgain(attempt, PATIENCE);
