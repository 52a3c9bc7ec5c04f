import { writeFileSync } from 'node:fs';
import { messageOf } from './backoff.ts';
import type { Log } from './log.ts';

/**
 * Between two attempts to reach the control plane a listener waits for an answer (35 s), as the answer says
 * (15 s, unless it was told to rest for longer) or as a busy server asks (30 s), and never for the sum of
 * these twice.
 */
const ATTEMPT_MILLISECONDS_MAX = 150_000;

/**
 * Writes a file whose age a probe looks at: as often as the cluster has said who leads, and by the listener
 * that leads only while it goes on asking the control plane too. What the control plane answers does not
 * count, for a new start would not change it. A program that hangs writes nothing.
 */
export class Heartbeat {
  readonly #file: string | undefined;
  readonly #log: Log;
  readonly #now: () => number;
  /** When the control plane was last asked; undefined: nothing is asked by one that waits. */
  #attemptedAt: number | undefined;
  #restMilliseconds = 0;

  /** Without a file nothing is written. */
  constructor(file: string | undefined, log: Log, now: () => number = () => performance.now()) {
    this.#file = file;
    this.#log = log;
    this.#now = now;
  }

  /** From now on the control plane is asked, or it was just now, whatever came of it. */
  attempted(): void {
    this.#attemptedAt = this.#now();
  }

  /** So long nothing need be asked now: where a doorbell rings, some minutes. */
  rests(milliseconds: number): void {
    this.#restMilliseconds = milliseconds;
  }

  /** The cluster has said who leads. */
  answered(): void {
    const silent = this.#attemptedAt === undefined ? 0 : this.#now() - this.#attemptedAt;
    if (this.#file === undefined || silent > ATTEMPT_MILLISECONDS_MAX + this.#restMilliseconds) return;
    try {
      writeFileSync(this.#file, `${new Date().toISOString()}\n`);
    } catch (error) {
      this.#log.error(`--heartbeat-file cannot be written: ${messageOf(error)}`);
    }
  }
}
