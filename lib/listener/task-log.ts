import type { LogLevel } from '../contract/log-level.ts';
import type { TaskLogsRequest } from '../features/listener-protocol/shape.ts';
import { nextTimestamp } from '../processes/timestamps.ts';
import type { Pause } from './backoff.ts';
import type { ShippedLine } from './waiting-lines.ts';

type SendLines = (lines: TaskLogsRequest['lines']) => Promise<boolean>;

/** Small pauses join lines said together into one request, without a reader noticing. */
const FLUSH_MILLISECONDS = 100;

/** The listener's own lines while it works on one task, sent in order under the task's lease. */
export class TaskLog {
  readonly #send: SendLines;
  readonly #fallBack: (line: ShippedLine) => void;
  readonly #pause: Pause;
  #waiting: ShippedLine[] = [];
  #pausing: AbortController | undefined;
  #sending: Promise<void> = Promise.resolve();

  /**
   * `send` answers whether the lines were taken; those that were not go to `fallBack`, so that none is lost.
   */
  constructor(send: SendLines, fallBack: (line: ShippedLine) => void, pause: Pause) {
    this.#send = send;
    this.#fallBack = fallBack;
    this.#pause = pause;
  }

  say(message: string, level: LogLevel = 'INFO'): void {
    this.#waiting.push({ timestamp: nextTimestamp(), level, message });
    if (this.#pausing === undefined) void this.#flushSoon();
  }

  async #flushSoon(): Promise<void> {
    const pausing = new AbortController();
    this.#pausing = pausing;
    await this.#pause(FLUSH_MILLISECONDS, pausing.signal);
    if (this.#pausing === pausing) await this.flush();
  }

  /** Resolves when everything said so far has been sent. */
  flush(): Promise<void> {
    const pausing = this.#pausing;
    this.#pausing = undefined;
    pausing?.abort();
    const lines = this.#waiting;
    this.#waiting = [];
    if (lines.length > 0) this.#sending = this.#sending.then(() => this.#sendOrFallBack(lines));
    return this.#sending;
  }

  async #sendOrFallBack(lines: ShippedLine[]): Promise<void> {
    const taken = await this.#send(lines).catch(() => false);
    if (!taken) for (const line of lines) this.#fallBack(line);
  }
}
