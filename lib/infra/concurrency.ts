import { functionRows } from '../contract/functions.ts';
import type { Settings } from './settings.ts';

/** What brings revisions forward. Requests, however many, must not take the functions that these need. */
const { dispatch, sweep, prepare, build, deploy, finish } = functionRows;
const RESERVED: readonly string[] = [dispatch, prepare, build, deploy, finish].map(({ name }) => name);
/** Every function that reserves. */
export const reserving: readonly string[] = [...RESERVED, sweep.name];
/** One runs a minute; a second one while that is still at work finds nothing to do. */
const SWEEPS = 2;
/** Lambda leaves so many to functions that reserve nothing. */
const UNRESERVED_MIN = 100;

/**
 * How many calls of a function, and at most how many, are kept free for it; undefined: it takes part in what
 * all share.
 */
export function reservedFor(
  name: string,
  { engineConcurrency }: Pick<Settings, 'engineConcurrency'>,
): number | undefined {
  if (engineConcurrency === undefined) return undefined;
  if (name === sweep.name) return SWEEPS;
  return RESERVED.includes(name) ? engineConcurrency : undefined;
}

/** What a setting of engineConcurrency reserves in all. */
export const reservedInAll = (engineConcurrency: number): number =>
  RESERVED.length * engineConcurrency + SWEEPS;

export type Concurrency = {
  /** Of the account in this region. */
  limit: number;
  /** What functions of others have reserved of it. */
  reservedByOthers: number;
};

/**
 * Why an account cannot reserve what engineConcurrency asks for, with the ways out; undefined when it can.
 */
export function concurrencyProblem(
  engineConcurrency: number,
  { limit, reservedByOthers }: Concurrency,
): string | undefined {
  const wanted = reservedInAll(engineConcurrency);
  const free = limit - reservedByOthers - UNRESERVED_MIN;
  if (wanted <= free) return undefined;
  const possible = Math.floor((free - SWEEPS) / RESERVED.length);
  const smaller = possible >= 1 ? `, set engineConcurrency to ${possible} or less,` : '';
  const others =
    reservedByOthers > 0 ? ` other functions have reserved ${reservedByOthers} of them, and` : '';
  return (
    `engineConcurrency=${engineConcurrency} reserves ${wanted} concurrent executions (${RESERVED.length} functions and sweep), but this account has ` +
    `${limit} in this region,${others} Lambda keeps ${UNRESERVED_MIN} unreserved. Have 'Concurrent executions' of Lambda raised in Service Quotas ` +
    `to ${wanted + reservedByOthers + UNRESERVED_MIN} or more${smaller} or deploy without engineConcurrency.`
  );
}
