import type { CommandResult } from '../main.ts';
import { copyThreads, LEFT_BEHIND } from './copy-threads.ts';
import type { CopyThreads } from './options.ts';

/** `left`: says that threads were not copied; undefined if all were. */
export type Copied = { readonly result: CommandResult; readonly left: string | undefined };

/** Copies the threads, and counts what has become of them. */
export async function runCopyThreads(
  { from, to }: CopyThreads,
  say: (line: string) => void,
): Promise<Copied> {
  const counts = await copyThreads({ from, to, say });
  const { whole, stands, empty, there, busy, failed } = counts;
  const lines: CommandResult['lines'] = [
    ['With their history', String(whole)],
    ['As they stand, without it', String(stands)],
    ['Without any state', String(empty)],
    ['There already', String(there)],
    ['Busy, not copied', String(busy)],
    ['Not copied', String(failed)],
  ];
  const json = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
  const count = busy + failed;
  const left =
    count === 0
      ? undefined
      : `Threads that were not copied, for the reasons above: ${count}. Run this again for them.`;
  return { result: { lines, json, advice: LEFT_BEHIND }, left };
}
