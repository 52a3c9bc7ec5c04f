import type { ChildProcess } from 'node:child_process';
import { removeRunFolder } from './quick-folder.ts';

type Started = { child: ChildProcess; group: boolean };

const running = new Set<Started>();

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
 * Has a program end with the process that runs the tests, which it would outlive when a run is broken off: then no hooks run. With `group`
 * the child leads a process group, and the whole of it ends.
 */
export function endWithRun(child: ChildProcess, { group = false } = {}): void {
  if (running.size === 0) {
    process.on('exit', killAll);
    process.on('disconnect', runIsOver);
  }
  const started = { child, group };
  running.add(started);
  child.once('exit', () => {
    running.delete(started);
    if (running.size > 0) return;
    process.off('exit', killAll);
    process.off('disconnect', runIsOver);
  });
}

/** Whoever has started this process is gone, and its own folder was in use until now. */
function runIsOver(): void {
  killAll();
  removeRunFolder();
  process.exit(1);
}
