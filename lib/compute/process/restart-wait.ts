import { jittered } from '../../listener/backoff.ts';

/** A crashed server starts again after about a second; one that crashes for ever, once a minute. */
export const RESTART_BASE_MILLISECONDS = 1000;
const RESTART_CAP_MILLISECONDS = 60_000;
/** A server that ran so long was sound: its next crash counts as the first. */
export const SOUND_MILLISECONDS = 60_000;

/** How long a server that has crashed so often waits before it is started again. */
export function restartWait(crashes: number): number {
  const wait = jittered(crashes - 1, RESTART_BASE_MILLISECONDS, RESTART_CAP_MILLISECONDS);
  return Math.min(wait, RESTART_CAP_MILLISECONDS);
}
