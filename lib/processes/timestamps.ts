/**
 * Smallest step between two stamps, in milliseconds; well above what a double can tell apart at today's
 * epoch.
 */
const STEP_MILLISECONDS = 0.001;

let last = 0;

/**
 * Epoch milliseconds with a fraction: each call gives a later stamp than the one before, so lines keep their
 * order.
 */
export function nextTimestamp(): number {
  last = Math.max(Date.now(), last + STEP_MILLISECONDS);
  return last;
}
