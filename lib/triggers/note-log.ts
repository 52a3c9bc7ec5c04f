import * as z from 'zod';
import { handOutNote, keyUseNote, type RefusalNote, refusalNote } from '../contract/note-lines.ts';
import { HANDED_OUT, KEY_USED, REFUSED } from '../contract/notes.ts';
import { once } from '../contract/once.ts';
import type { HandedOut } from '../core/audit.ts';
import type { KeyUse } from '../core/identity/key-uses.ts';
import { readLogBatch } from './log-batch.ts';

const line = z.discriminatedUnion('message', [
  keyUseNote.extend({ message: z.literal(KEY_USED) }),
  handOutNote.extend({ message: z.literal(HANDED_OUT) }),
  refusalNote.extend({ message: z.literal(REFUSED) }),
]);

/** What is done with each kind of note. */
export type NoteTakers<D> = {
  keyUsed: (deps: D, use: KeyUse) => Promise<void>;
  handedOut: (deps: D, event: HandedOut) => Promise<void>;
  refused: (deps: D, note: RefusalNote) => Promise<void>;
};

/**
 * Makes the function that is called with the lines of functions that are to be written down; any other line
 * is passed over.
 */
export function noteLog<D>(takers: NoteTakers<D>): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (event) => {
      for (const { message } of readLogBatch(event)?.logEvents ?? []) await take(takers, kept, message);
    };
  };
}

async function take<D>(takers: NoteTakers<D>, deps: () => D, text: string): Promise<void> {
  const note = noteIn(text);
  switch (note?.message) {
    case KEY_USED:
      return takers.keyUsed(deps(), { keyHash: note.key_hash, hour: note.hour });
    case HANDED_OUT: {
      const { message: _, ...event } = note;
      return takers.handedOut(deps(), event);
    }
    case REFUSED: {
      const { message: _, ...refused } = note;
      return takers.refused(deps(), refused);
    }
    case undefined:
      return undefined;
  }
}

function noteIn(text: string): z.infer<typeof line> | undefined {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
