import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessGroup } from '../../processes/group.ts';
import { pidsOnPort } from '../../processes/table/listening.ts';
import { startTimeOf } from '../../processes/table/read.ts';

/**
 * An agent server finishes its runs and writes its threads; one that takes longer is ended, and loses what it
 * had not written.
 */
export const SAVE_MILLISECONDS = 15_000;
/** A run stops at its next step, so after the one in hand; one that takes longer does that step again. */
export const HAND_BACK_MILLISECONDS = 15_000;
const LOOK_MILLISECONDS = 25;

/**
 * Asks the process that serves the port to stop, and waits until it has. Only that one: its parents would
 * pass the signal on, and a second one cuts the saving off.
 */
export async function saveAndStop(
  group: ProcessGroup,
  port: number,
  withinMilliseconds: number,
): Promise<void> {
  const deadline = Date.now() + withinMilliseconds;
  const serving = pidsOnPort(group, port).map((pid) => ({ pid, startTime: startTimeOf(pid) }));
  for (const { pid } of serving) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It has just ended by itself.
    }
  }
  const lives = () =>
    serving.some(({ pid, startTime }) => startTime !== undefined && startTimeOf(pid) === startTime);
  while (lives() && Date.now() < deadline) await delay(LOOK_MILLISECONDS);
}

/**
 * Asks the first process of a group to stop, and waits until it has: it stops the others, once they have
 * nothing more to do.
 */
export async function askToStop(
  { pid, exited, exit }: ProcessGroup,
  withinMilliseconds: number,
): Promise<void> {
  if (pid === undefined || exit !== undefined) return;
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    return; // It has just ended by itself.
  }
  const waiting = new AbortController();
  const limit = delay(withinMilliseconds, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([exited, limit]);
  waiting.abort();
}
