import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';

/** Where systems keep them; a PATH made for something else may lack these folders. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** Environments of many processes are megabytes. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** A tool of the system cannot be run; the message says which one, and what to do. */
export class ToolMissing extends Error {}

/**
 * What a tool of the system prints, in the same words and times wherever and whenever it runs. How it ends is
 * not looked at: `ps` and `lsof` end with 1 when one of the processes is gone. Throws ToolMissing when it
 * cannot be run at all.
 */
export function printedBy(tool: string, args: readonly string[]): string {
  const path = [process.env.PATH ?? '', ...SYSTEM_FOLDERS].filter((folder) => folder !== '').join(delimiter);
  const { stdout, error } = spawnSync(tool, args, {
    encoding: 'utf8',
    env: { PATH: path, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (error === undefined) return stdout;
  throw new ToolMissing(
    `\`${tool}\` cannot be run (${error.message}). Install it: here Slipway finds processes and their ports with it.`,
  );
}
