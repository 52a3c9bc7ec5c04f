import type { CountsRow, MinuteCounts } from '../../contract/deployments/counts.ts';
import { messageOf, type Pause } from '../backoff.ts';
import type { Log } from '../log.ts';
import { type MeasuredRevision, MINUTE_MILLISECONDS, minuteOf, revisionKey, rowOf } from './measured.ts';
import type { WaitingCounts } from './waiting-counts.ts';
import { isWorthTelling } from './worth-telling.ts';

type Parts = {
  /** What was measured since it was asked last. */
  measure: () => Promise<MeasuredRevision[]>;
  waiting: Pick<WaitingCounts, 'add'>;
  /** Hears of every minute, those in which nothing happened too. Must not wait. */
  onMinute?: ((measured: MeasuredRevision[], minute: number) => void) | undefined;
  log: Log;
  pause: Pause;
  /** Milliseconds since 1970. */
  now: () => number;
};

/** Closes each minute of the clock: measures it, and keeps what is worth telling. */
export class MinuteLoop {
  readonly #parts: Parts;
  /** What was told last, by revision. */
  #told = new Map<string, MinuteCounts>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Ends with the signal; what was counted of the last minute is kept then, to be added to. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const minute = minuteOf(this.#parts.now());
      await this.#untilOver(minute, signal);
      await this.#close(minute).catch((error: unknown) =>
        this.#parts.log.warn(`a minute was not measured: ${messageOf(error)}`),
      );
    }
  }

  async #untilOver(minute: number, signal: AbortSignal): Promise<void> {
    const { now, pause } = this.#parts;
    for (;;) {
      const left = (minute + 1) * MINUTE_MILLISECONDS - now();
      // Otherwise the clock was set back.
      if (signal.aborted || left <= 0 || left > MINUTE_MILLISECONDS) return;
      await pause(left, signal);
    }
  }

  async #close(minute: number): Promise<void> {
    const { measure, waiting, onMinute, now } = this.#parts;
    const measured = await measure();
    onMinute?.(measured, minute);
    const rows = measured.map((each) => rowOf(each, minute));
    await waiting.add(this.#worthTelling(rows), minuteOf(now()));
  }

  /** What is not measured any more is forgotten. */
  #worthTelling(rows: readonly CountsRow[]): CountsRow[] {
    const told = new Map<string, MinuteCounts>();
    const worth = rows.filter((row) => {
      const last = this.#told.get(revisionKey(row));
      const isWorth = isWorthTelling(row, last);
      const known = isWorth ? row : last;
      if (known !== undefined) told.set(revisionKey(row), known);
      return isWorth;
    });
    this.#told = told;
    return worth;
  }
}
