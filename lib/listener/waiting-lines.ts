import type { LogLevel } from '../contract/log-level.ts';
import { nextTimestamp } from '../processes/timestamps.ts';

export type ShippedLine = { timestamp: number; level: LogLevel; message: string };
export type WaitingLine = { deploymentId: string; revisionId: string; line: ShippedLine };

/** What may wait while nobody takes it; beyond it the oldest lines go. */
export const WAITING_CHARACTERS_MAX = 8 * 1024 * 1024;
/** What an entry takes beside its text. */
const ENTRY_CHARACTERS = 128;

/** How much is taken at a time. `sources`: revisions that it is of. */
type Limits = { lines: number; characters: number; sources: number };

function sizeOf(entry: WaitingLine): number {
  return entry.line.message.length + ENTRY_CHARACTERS;
}

/** Lines of agent servers that wait to be taken, in order, with bounded memory. */
export class WaitingLines {
  #waiting: WaitingLine[] = [];
  #characters = 0;
  #dropped = 0;

  get count(): number {
    return this.#waiting.length;
  }

  get characters(): number {
    return this.#characters;
  }

  push(entry: WaitingLine): void {
    this.#waiting.push(entry);
    this.#characters += sizeOf(entry);
    if (this.#characters > WAITING_CHARACTERS_MAX) this.#dropOldest();
  }

  /** The oldest, within the limits, one at least; before them, a line that says how many were dropped. */
  take({ lines, characters: charactersMax, sources: sourcesMax }: Limits): WaitingLine[] {
    const taken: WaitingLine[] = [];
    const sources = new Set<string>();
    let characters = 0;
    for (const entry of this.#waiting) {
      sources.add(`${entry.deploymentId}/${entry.revisionId}`);
      characters += sizeOf(entry);
      const full = taken.length >= lines || sources.size > sourcesMax;
      if (taken.length > 0 && (full || characters > charactersMax)) break;
      taken.push(entry);
    }
    this.#waiting = this.#waiting.slice(taken.length);
    for (const entry of taken) this.#characters -= sizeOf(entry);
    const first = taken[0];
    if (this.#dropped > 0 && first !== undefined) {
      const message = `${this.#dropped} older log lines were dropped: they could not be shipped in time`;
      taken.unshift({ ...first, line: { timestamp: nextTimestamp(), level: 'WARNING', message } });
      this.#dropped = 0;
    }
    return taken;
  }

  #dropOldest(): void {
    // A tenth at once: dropping one line at a time would shift the whole array for each new line.
    const count = Math.ceil(this.#waiting.length / 10);
    for (const entry of this.#waiting.splice(0, count)) this.#characters -= sizeOf(entry);
    this.#dropped += count;
  }
}
