import type { Clock } from '../adapters/clock.ts';

/**
 * Work that did not end in its time. Nothing can stop it, so it may still go on; all that it writes is
 * conditional.
 */
export class TookTooLong extends Error {
  constructor(what: string, milliseconds: number) {
    super(`${what} took longer than ${milliseconds / 1000} s`);
    this.name = 'TookTooLong';
  }
}

/**
 * Waits for work for so many milliseconds, then throws TookTooLong: a call that hangs keeps nothing else
 * waiting.
 */
export function within<T>(
  clock: Pick<Clock, 'wait'>,
  milliseconds: number,
  what: string,
  work: Promise<T>,
): Promise<T> {
  const late = clock.wait(milliseconds).then(() => {
    throw new TookTooLong(what, milliseconds);
  });
  return Promise.race([work, late]);
}
