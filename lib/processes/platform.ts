import { hasProc } from './table/source.ts';
import { printedBy } from './tools.ts';

const LIMIT =
  'Processes are found with `ps` here: one that leaves the process group of its build or agent, and whose environment the system does not show (on ' +
  'macOS, that of its own programs), is not found, and goes on when the rest is stopped.';

/**
 * What cannot be had on this platform, a sentence each for the person who starts the program. Throws
 * ToolMissing where something is missing that can be installed.
 */
export function limitsOfPlatform(proc = hasProc(), run = printedBy): string[] {
  if (proc) return [];
  run('ps', ['-p', String(process.pid)]);
  run('lsof', ['-v']);
  return [LIMIT];
}
