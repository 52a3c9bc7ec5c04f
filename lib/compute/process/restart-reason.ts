import { readFileSync } from 'node:fs';
import type { GroupExit } from '../../processes/group.ts';
import { hasProc } from '../../processes/table/source.ts';
import type { Server } from './server.ts';

/** As clusters call it. */
const OUT_OF_MEMORY = 'OOMKilled';
/** It came to no exit of a server, or to one before it was ready. */
export const DID_NOT_START = 'did not start';

/** How often the kernel has ended a process because memory was out; undefined: nobody tells. */
export function memoryKills(): number | undefined {
  if (!hasProc()) return undefined;
  try {
    const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8')) ?? [];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

/**
 * Why a server is started again, in a word or two: `exit code 1`, `SIGSEGV`, `OOMKilled`. `killsBefore`: see
 * `memoryKills`, at some moment while it ran.
 */
export function restartReasonOf(
  exit: GroupExit | undefined,
  tail: Pick<Server['tail'], 'mentions'>,
  killsBefore: number | undefined,
): string {
  if (exit === undefined || exit.error !== undefined) return DID_NOT_START;
  if (exit.signal === 'SIGKILL' && killsBefore !== undefined && (memoryKills() ?? 0) > killsBefore)
    return OUT_OF_MEMORY;
  if (tail.mentions('JavaScript heap out of memory')) return OUT_OF_MEMORY;
  return exit.signal ?? `exit code ${exit.code}`;
}
