import type { ChildProcess } from 'node:child_process';
import { removeLostRunFolder } from './quick-folder.ts';

type Started = { child: ChildProcess; group: boolean };

const running = new Set<Started>();

/**
 * From a keyboard, or from `timeout`, they reach every process of the run, this one before it loses its
 * parent.
 */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function killAll(): void {
  for (const { child, group } of running) {
    if (child.pid === undefined) continue;
    try {
      process.kill(group ? -child.pid : child.pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }
}

/**
 * Has a program end with the process that runs the tests, which it would outlive when a run is broken off:
 * then no hooks run. With `group` the child leads a process group, and the whole of it ends.
 */
export function endWithRun(child: ChildProcess, { group = false } = {}): void {
  if (running.size === 0) {
    process.on('exit', killAll);
    for (const event of ['disconnect', ...SIGNALS]) process.on(event, runIsOver);
  }
  const started = { child, group };
  running.add(started);
  child.once('exit', () => {
    running.delete(started);
    if (running.size > 0) return;
    process.off('exit', killAll);
    for (const event of ['disconnect', ...SIGNALS]) process.off(event, runIsOver);
  });
}

/** This process is to end, or whoever has started it is gone, and its own folder was in use until now. */
function runIsOver(): void {
  killAll();
  removeLostRunFolder();
  process.exit(1);
}
