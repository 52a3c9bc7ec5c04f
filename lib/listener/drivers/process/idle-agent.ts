import { pause } from '../../backoff.ts';

type Where = { host: string; port: number };

const LOOK_MILLISECONDS = 100;
const ANSWER_MILLISECONDS = 2000;
/** Also an agent that does not tell has recorded within this time what it has just answered. */
const RECORD_MILLISECONDS = 1000;

/** Whether a run is under way; undefined when the agent does not say (it asks for credentials, say). */
async function isBusy({ host, port }: Where): Promise<boolean | undefined> {
  const address = host === '::1' ? '[::1]' : host;
  try {
    const response = await fetch(`http://${address}:${port}/threads/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'busy', limit: 1 }),
      signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
    });
    const threads: unknown = await response.json();
    return response.ok && Array.isArray(threads) ? threads.length > 0 : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Waits until an agent server has no run under way: it answers a request a moment before it has recorded the
 * end of its run, and some runs no request waits for. False when there still is one after
 * `withinMilliseconds`.
 */
export async function untilIdle(where: Where, withinMilliseconds: number): Promise<boolean> {
  const deadline = Date.now() + withinMilliseconds;
  let idleLooks = 0;
  // Two looks: between a run's end and its record it may count as over.
  while (idleLooks < 2) {
    const busy = await isBusy(where);
    if (busy === undefined) {
      await pause(RECORD_MILLISECONDS);
      return true;
    }
    idleLooks = busy ? 0 : idleLooks + 1;
    if (busy && Date.now() >= deadline) return false;
    await pause(LOOK_MILLISECONDS);
  }
  return true;
}
