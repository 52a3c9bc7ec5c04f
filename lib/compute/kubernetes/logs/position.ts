/** A line of a log, with the time that the node wrote it (epoch nanoseconds). */
export type StampedLine = { at: bigint; message: string };

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) ?(.*)$/s;

/** Undefined: the kubelet says something itself, such as that it cannot read the log. */
export function stampedLine(line: string): StampedLine | undefined {
  const [, second, fraction = '', zone, message] = STAMPED.exec(line) ?? [];
  if (second === undefined || zone === undefined || message === undefined) return undefined;
  const at = BigInt(Date.parse(second + zone)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
  return { at, message };
}

const SECOND = 1_000_000_000n;

/**
 * How far the log of a container has been read, over all of its runs: their times follow one another. Lines
 * may share a time, and those of standard output and standard error may be a moment out of order, so that the
 * lines since the newest time are counted.
 */
export class ContainerLogPosition {
  /** The newest time that was read; at first, from when on to read. */
  #newest: bigint | undefined;
  /** Lines that were read, beginning with the first of that time. */
  #count = 0;
  /** What the log gives again was read before; so many of the counted lines have come again. */
  #again: number | undefined;

  constructor(since: Date | undefined) {
    this.#newest = since === undefined ? undefined : BigInt(since.getTime()) * 1_000_000n;
  }

  /**
   * From when on to ask for lines, for the log is read anew. A second more than needed: the API server knows
   * whole seconds only, and a line that is out of order must not be missed in the count.
   */
  rewind(): string | undefined {
    if (this.#newest === undefined) return undefined;
    this.#again = 0;
    const seconds = this.#newest / SECOND - 1n;
    return new Date(Number(seconds) * 1000).toISOString();
  }

  /** Whether what ended at this time (epoch milliseconds, of a whole second) may hold lines not read yet. */
  isBefore(endedAt: number): boolean {
    return this.#newest === undefined || Number(this.#newest / SECOND) * 1000 <= endedAt;
  }

  /** Takes note of the next line. False: it has been read before. */
  take(at: bigint): boolean {
    if (this.#wasRead(at)) return false;
    this.#again = undefined;
    const isNewer = this.#newest === undefined || at > this.#newest;
    if (isNewer) this.#newest = at;
    this.#count = isNewer ? 1 : this.#count + 1;
    return true;
  }

  #wasRead(at: bigint): boolean {
    if (this.#again === undefined || this.#newest === undefined) return false;
    // Before the first line of the newest time. A later one first: that line has been rotated away.
    if (this.#again === 0 && at !== this.#newest) return at < this.#newest;
    this.#again += 1;
    return this.#again <= this.#count;
  }
}
