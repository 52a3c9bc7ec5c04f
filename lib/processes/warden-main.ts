import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { carriersOf, processesOf, readProcesses } from './table/read.ts';
import type { Guarded } from './warden.ts';

/**
 * The end of a warden: its parent has died, and everything that it had started is killed. What that is comes
 * on standard input. It is in a session of its own, so that nothing that ends the parent ends it.
 */

/**
 * A child may have been between fork and exec when the parent died, its marker not yet visible: look for so
 * long.
 */
const LOOK_AT_LEAST_MILLISECONDS = 500;
/** An unkillable process (a dead network mount) must not keep the warden for ever. */
const LOOK_AT_MOST_MILLISECONDS = 60_000;

function killEverything({ supervisor, groups }: Guarded): number {
  const rows = readProcesses();
  const grouped = groups.flatMap(([pid, startTime]) =>
    processesOf({ pid, startTime, marker: supervisor }, rows),
  );
  const pids = new Set([...carriersOf(supervisor, rows), ...grouped].map((row) => row.pid));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  return pids.size;
}

async function endAll(guarded: Guarded): Promise<void> {
  const begin = Date.now();
  for (;;) {
    const found = killEverything(guarded);
    const elapsed = Date.now() - begin;
    if (found === 0 && elapsed >= LOOK_AT_LEAST_MILLISECONDS) return;
    if (elapsed >= LOOK_AT_MOST_MILLISECONDS) return;
    await delay(30);
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by warden.ts
await endAll(JSON.parse(readFileSync(0, 'utf8')) as Guarded);
