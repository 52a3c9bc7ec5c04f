import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `check` gives something true, and returns it. Throws after `timeoutMs`, saying what was waited for. */
export async function until<T>(
  check: () => T | Promise<T>,
  { timeoutMs, what }: { timeoutMs: number; what: string },
): Promise<Exclude<T, false | undefined | null>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    // The checks above the return exclude exactly what the type excludes.
    if (found !== false && found !== undefined && found !== null)
      return found as Exclude<T, false | undefined | null>;
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`);
    await delay(20);
  }
}
