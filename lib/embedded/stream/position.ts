import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../../processes/atomic-file.ts';

const position = z.object({
  /** Another table of the same name has another stream: its numbers begin anew. */
  stream_arn: z.string(),
  shard_id: z.string(),
  /** Up to this record, everything is handled; absent at the start of a shard. */
  sequence_number: z.string().optional(),
});
export type Position = z.infer<typeof position>;

/**
 * What is kept; undefined when there is nothing, or nothing readable: then the stream is read from its oldest
 * record on.
 */
export async function readPosition(file: string): Promise<Position | undefined> {
  try {
    return position.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * After a crash the records of so long come again. Each write is a file made and renamed: more often, and it
 * costs what it saves.
 */
const KEEP_MILLISECONDS = 500;

/** Keeps the latest position, now and then; `idle` keeps it at once. */
export function positionWriter(file: string): { save(position: Position): void; idle(): Promise<void> } {
  let latest: Position | undefined;
  let writing: Promise<void> | undefined;
  const hurry = new AbortController();
  const write = async () => {
    while (latest !== undefined) {
      await delay(KEEP_MILLISECONDS, undefined, { signal: hurry.signal }).catch(() => undefined);
      const text = JSON.stringify(latest);
      latest = undefined;
      // Not flushed: after a power cut records come a second time, which every consumer bears. Nor is a full
      // disk a reason to stop.
      await writeFileAtomic(file, text, { flush: false }).catch(() => undefined);
    }
    writing = undefined;
  };
  return {
    save(next) {
      latest = next;
      writing ??= write();
    },
    async idle() {
      hurry.abort();
      await writing;
    },
  };
}
