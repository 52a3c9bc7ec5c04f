import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../atomic-file.ts';

const position = z.object({
  /** Another table of the same name has another stream: its numbers begin anew. */
  stream_arn: z.string(),
  shard_id: z.string(),
  /** Up to this record, everything is handled; absent at the start of a shard. */
  sequence_number: z.string().optional(),
});
export type Position = z.infer<typeof position>;

/** What is kept; undefined when there is nothing, or nothing readable: then the stream is read from its oldest record on. */
export async function readPosition(file: string): Promise<Position | undefined> {
  try {
    return position.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Keeps positions one after the other, skipping those that are outdated before their turn. */
export function positionWriter(file: string): { save(position: Position): void; idle(): Promise<void> } {
  let latest: Position | undefined;
  let writing: Promise<void> | undefined;
  const write = async () => {
    while (latest !== undefined) {
      const text = JSON.stringify(latest);
      latest = undefined;
      // Not flushed: after a power cut records come a second time, which every consumer bears. Nor is a full disk a reason to stop.
      await writeFileAtomic(file, text, { flush: false }).catch(() => undefined);
    }
    writing = undefined;
  };
  return {
    save(next) {
      latest = next;
      writing ??= write();
    },
    idle: async () => writing,
  };
}
