const MICROSECONDS = 1000;

/** The last stamp, in microseconds: of this thread alone until another one's is followed. */
let last: BigInt64Array<SharedArrayBuffer> = new BigInt64Array(
  new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT),
);

/** What another thread is given, for it to follow. */
export const sharedTimestamps = (): SharedArrayBuffer => last.buffer;

/** From here on, no two stamps of both threads are the same. */
export function followTimestamps(shared: SharedArrayBuffer): void {
  last = new BigInt64Array(shared);
}

/**
 * Epoch milliseconds with a fraction: each call gives a later stamp than the one before, in any thread that
 * follows the same ones, so lines keep their order. A step is a microsecond, well above what a double can
 * tell apart at today's epoch.
 */
export function nextTimestamp(): number {
  for (;;) {
    const before = Atomics.load(last, 0);
    const now = BigInt(Date.now() * MICROSECONDS);
    const next = now > before ? now : before + 1n;
    if (Atomics.compareExchange(last, 0, before, next) === before) return Number(next) / MICROSECONDS;
  }
}
