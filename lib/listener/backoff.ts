import { setTimeout as delay } from 'node:timers/promises';

/** Full jitter: many listeners that lost the same server do not come back in step. */
export function jittered(attempt: number, baseMilliseconds: number, capMilliseconds: number): number {
  return Math.random() * Math.min(capMilliseconds, baseMilliseconds * 2 ** attempt) + baseMilliseconds / 2;
}

/** Waits; ends early (without throwing) when the signal fires. */
export type Pause = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export const pause: Pause = (milliseconds, signal) =>
  delay(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch says only `fetch failed`; the reason is in its cause.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
