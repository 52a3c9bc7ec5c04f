import { setTimeout as delay } from 'node:timers/promises';

/**
 * What comes soon is seen soon; what takes long is asked for less often, for asking costs what is waited for
 * its processor.
 */
const PAUSE_MS = { first: 40, factor: 2, most: 250 } as const;

/** Shorter than a test may take, so that it ends by saying what it waited for; no slow hour breaks it. */
const TIMEOUT_MS = 240_000;

type Waiting = {
  timeoutMs?: number;
  what: string | (() => string);
  /** The first pause, where nothing can be expected sooner. */
  firstMs?: number;
};

/**
 * Waits until `check` gives something true, and returns it. Throws after `timeoutMs`, saying what was waited
 * for (a function says what became of it).
 */
export async function until<T>(
  check: () => T | Promise<T>,
  { timeoutMs = TIMEOUT_MS, what, firstMs = PAUSE_MS.first }: Waiting,
): Promise<Exclude<T, false | undefined | null>> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = firstMs; ; pause = Math.min(PAUSE_MS.most, pause * PAUSE_MS.factor)) {
    const found = await check();
    // The checks above the return exclude exactly what the type excludes.
    if (found !== false && found !== undefined && found !== null)
      return found as Exclude<T, false | undefined | null>;
    if (Date.now() > deadline) {
      throw new Error(`Waited ${timeoutMs} ms in vain for ${typeof what === 'string' ? what : what()}`);
    }
    await delay(pause);
  }
}
