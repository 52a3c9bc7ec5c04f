import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessGroup } from '../../processes/group.ts';
import type { ProcessSupervisor } from '../../processes/supervisor.ts';
import { pidsOnPort } from '../../processes/table/listening.ts';
import { startTimeOf } from '../../processes/table/read.ts';
import { announceEnd } from './internal-calls.ts';
import type { ProxyProcess } from './proxy-process.ts';
import { type Server, STOP_GRACE_MILLISECONDS } from './server.ts';

/**
 * An agent server finishes its runs and writes its threads; one that takes longer is ended, and loses what it
 * had not written.
 */
const SAVE_MILLISECONDS = 15_000;
/** A run stops at its next step, so after the one in hand; one that takes longer does that step again. */
const HAND_BACK_MILLISECONDS = 30_000;
const LOOK_MILLISECONDS = 25;

/**
 * Asks the process that serves the port to stop, and waits until it has. Only that one: its parents would
 * pass the signal on, and a second one cuts the saving off.
 */
async function saveAndStop(group: ProcessGroup, port: number, withinMilliseconds: number): Promise<void> {
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
async function askToStop(group: ProcessGroup, withinMilliseconds: number): Promise<void> {
  if (group.pid === undefined || group.exit !== undefined) return;
  try {
    process.kill(group.pid, 'SIGTERM');
  } catch {
    return; // It has just ended by itself.
  }
  const waiting = new AbortController();
  const limit = delay(withinMilliseconds, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([group.exited, limit]);
  waiting.abort();
}

/** Ends a server in the way that its kind asks for; nothing of it is alive afterwards. */
export async function stopServer(
  { supervisor, proxy }: { supervisor: ProcessSupervisor; proxy: Pick<ProxyProcess, 'leave'> },
  server: Server,
): Promise<void> {
  const { group, target, savesOnStop, handsBackOnStop, isTrial } = server;
  if (handsBackOnStop) await announceEnd(server);
  await proxy.leave(target);
  if (handsBackOnStop) await askToStop(group, HAND_BACK_MILLISECONDS);
  if (savesOnStop && !isTrial) await saveAndStop(group, target.where.port, SAVE_MILLISECONDS);
  await supervisor.stop(group, STOP_GRACE_MILLISECONDS);
}
