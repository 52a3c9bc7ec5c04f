import type { MinuteCounts } from '../../../contract/deployments/counts.ts';
import { HistogramCounter } from '../../../domain/metrics/histogram.ts';

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** The requests of one revision, counted since somebody took the counts. */
export class Traffic {
  readonly #latency = new HistogramCounter();
  readonly #classes = CLASSES.map(() => 0);
  #failed = 0;
  #bytesIn = 0;
  #bytesOut = 0;
  #inFlight = 0;
  #inFlightMost = 0;
  #streams = 0;
  #streamsMost = 0;
  #hasNews = false;
  readonly #onNews: () => void;

  /** `onNews` hears that there is something to take, once until it is taken. */
  constructor(onNews: () => void = () => undefined) {
    this.#onNews = onNews;
  }

  /** Something has happened since the last `take`. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** Nothing is under way, and nothing has happened since the last `take`. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#inFlightMost === 0;
  }

  enter(): void {
    this.#note();
    this.#inFlight += 1;
    this.#inFlightMost = Math.max(this.#inFlightMost, this.#inFlight);
  }

  leave(): void {
    this.#note();
    this.#inFlight -= 1;
  }

  openStream(): void {
    this.#note();
    this.#streams += 1;
    this.#streamsMost = Math.max(this.#streamsMost, this.#streams);
  }

  closeStream(): void {
    this.#note();
    this.#streams -= 1;
  }

  /** A request has this status now; `milliseconds`: what it waited for the answer, undefined without one. */
  answered(status: number, milliseconds: number | undefined): void {
    this.#note();
    const index = Math.min(Math.max(Math.floor(status / 100), 1), CLASSES.length) - 1;
    this.#classes[index] = (this.#classes[index] ?? 0) + 1;
    if (milliseconds !== undefined) this.#latency.add(milliseconds);
  }

  failed(): void {
    this.#note();
    this.#failed += 1;
  }

  received(bytes: number): void {
    this.#note();
    this.#bytesIn += bytes;
  }

  sent(bytes: number): void {
    this.#note();
    this.#bytesOut += bytes;
  }

  #note(): void {
    if (this.#hasNews) return;
    this.#hasNews = true;
    this.#onNews();
  }

  /** What was counted since it was taken last. Of what goes on, the most at any moment is counted anew. */
  take(): MinuteCounts {
    const all = this.#classes.reduce((sum, count) => sum + count, 0);
    const told = CLASSES.map((name, index) => [name, this.#classes[index] ?? 0] as const);
    const counts: MinuteCounts = {
      requests: {
        all,
        ...(this.#failed > 0 && { failed: this.#failed }),
        ...Object.fromEntries(told.filter(([, count]) => count > 0)),
      },
      ...(all > 0 && { latency: this.#latency.take() }),
      bytes_in: this.#bytesIn,
      bytes_out: this.#bytesOut,
      streams: this.#streamsMost,
      in_flight: this.#inFlightMost,
    };
    this.#classes.fill(0);
    this.#failed = 0;
    this.#bytesIn = 0;
    this.#bytesOut = 0;
    this.#streamsMost = this.#streams;
    this.#inFlightMost = this.#inFlight;
    this.#hasNews = false;
    return counts;
  }
}
