import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { carriersOf, type GroupRecord, membersOf, readProcesses } from './process-table.ts';
import type { WardenLine } from './warden.ts';

/**
 * The warden: a program of its own session that outlives its parent by a moment. It reads on standard input what its parent
 * started; when the input ends without a goodbye, the parent has died, and everything it started is killed.
 */

const groups = new Map<string, GroupRecord>();
let keeperId: string | undefined;

/** A child may have been between fork and exec when the parent died, its marker not yet visible: look for so long. */
const LOOK_AT_LEAST_MILLISECONDS = 500;
/** An unkillable process (a dead network mount) must not keep the warden for ever. */
const LOOK_AT_MOST_MILLISECONDS = 60_000;

function killEverything(): number {
  const rows = readProcesses();
  const marked = keeperId === undefined ? [] : carriersOf(keeperId, rows);
  const grouped = [...groups.values()].flatMap((group) => membersOf(group, rows));
  const pids = new Set([...marked, ...grouped].map((row) => row.pid));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  return pids.size;
}

async function endAll(): Promise<void> {
  const begin = Date.now();
  for (;;) {
    const found = killEverything();
    const elapsed = Date.now() - begin;
    if (found === 0 && elapsed >= LOOK_AT_LEAST_MILLISECONDS) return;
    if (elapsed >= LOOK_AT_MOST_MILLISECONDS) return;
    await delay(30);
  }
}

function take(line: WardenLine): void {
  if (line.kind === 'keeper') keeperId = line.id;
  if (line.kind === 'add') groups.set(line.group.marker, line.group);
  if (line.kind === 'remove') groups.delete(line.marker);
  if (line.kind === 'goodbye') process.exit(0);
}

// Whoever stops the parent stops the children through it; the warden stays until its input ends.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

const lines = createInterface({ input: process.stdin });
lines.on('line', (text) => {
  // Written by the module beside this one, line by line.
  take(JSON.parse(text) as WardenLine);
});
lines.on('close', () => {
  void endAll().then(() => process.exit(0));
});
