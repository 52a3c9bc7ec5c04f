import { pause } from '../../listener/backoff.ts';
import type { ProxyProcess } from './proxy-process.ts';
import type { Server } from './server.ts';

type Where = { host: string; port: number };

const LOOK_MILLISECONDS = 100;
/** Each of these an agent with an auth of its own refuses, and writes that down. */
const LOOK_UNKNOWN_MILLISECONDS = 1000;
const ANSWER_MILLISECONDS = 2000;
/** Also an agent that does not tell has recorded within this time what it has just answered. */
const RECORD_MILLISECONDS = 1000;

/**
 * `unknown`: the agent does not say whether a run is under way (it asks for credentials, say); `gone`: nothing
 * answers there any more.
 */
type Look = 'busy' | 'idle' | 'unknown' | 'gone';

async function lookAt({ host, port }: Where): Promise<Look> {
  const address = host === '::1' ? '[::1]' : host;
  try {
    const response = await fetch(`http://${address}:${port}/threads/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'busy', limit: 1 }),
      signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
    });
    const threads: unknown = await response.json();
    if (!response.ok || !Array.isArray(threads)) return 'unknown';
    return threads.length > 0 ? 'busy' : 'idle';
  } catch (error) {
    return isRefused(error) ? 'gone' : 'unknown';
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ECONNREFUSED';

type Idle = 'idle' | 'busy' | 'unknown';

/**
 * Waits until an agent server has no run under way: it answers a request a moment before it has recorded the
 * end of its run, and some runs no request waits for. `busy` when there still is one after
 * `withinMilliseconds`. An agent that does not say is waited for as long, as it may have runs that nobody
 * knows of; `onUnknown` hears of it at once.
 */
async function untilIdle(where: Where, withinMilliseconds: number, onUnknown: () => void): Promise<Idle> {
  const begin = Date.now();
  let idleLooks = 0;
  let told = false;
  // Two looks: between a run's end and its record it may count as over.
  while (idleLooks < 2) {
    const look = await lookAt(where);
    if (look === 'gone') return 'idle';
    if (look === 'unknown' && !told) {
      told = true;
      onUnknown();
    }
    idleLooks = look === 'idle' ? idleLooks + 1 : 0;
    const within =
      look === 'unknown' ? Math.max(withinMilliseconds, RECORD_MILLISECONDS) : withinMilliseconds;
    const rest = begin + within - Date.now();
    if (look !== 'idle' && rest <= 0) return look;
    await pause(look === 'unknown' ? Math.min(LOOK_UNKNOWN_MILLISECONDS, rest) : LOOK_MILLISECONDS);
  }
  return 'idle';
}

/**
 * Lets requests and runs under way at a server that is replaced come to their end. Says what is cut off when
 * some have not after `withinMilliseconds`. `warn` hears what cannot be known.
 */
export async function comeToRest(
  proxy: Pick<ProxyProcess, 'drained'>,
  { target, savesOnStop }: Pick<Server, 'target' | 'savesOnStop'>,
  withinMilliseconds: number,
  warn: (message: string) => void,
): Promise<string | undefined> {
  const deadline = Date.now() + withinMilliseconds;
  const drained = await proxy.drained(target, withinMilliseconds);
  const runs = savesOnStop
    ? await untilIdle(target.where, deadline - Date.now(), () =>
        warn(
          `The agent before does not say whether it has runs in the background, as one that asks for credentials of its own does not: these are given the whole time, ${withinMilliseconds / 1000} s (drain_seconds), and then cut off.`,
        ),
      )
    : 'idle';
  if (drained && runs !== 'busy') return undefined;
  return `Requests or runs that took longer than ${withinMilliseconds / 1000} s are cut off.`;
}
