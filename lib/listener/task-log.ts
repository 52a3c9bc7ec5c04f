import type { TaskLogsRequest } from '../contract/listener-protocol.ts';
import { nextTimestamp } from '../processes/timestamps.ts';
import type { Level } from './level.ts';
import type { ShippedLine } from './log-shipper.ts';

type SendLines = (lines: TaskLogsRequest['lines']) => Promise<boolean>;

/** Small pauses join lines said together into one request, without a reader noticing. */
const FLUSH_MILLISECONDS = 100;

/** The listener's own lines while it works on one task, sent in order under the task's lease. */
export class TaskLog {
  readonly #send: SendLines;
  readonly #fallBack: (line: ShippedLine) => void;
  #waiting: ShippedLine[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  /** `send` answers whether the lines were taken; those that were not go to `fallBack`, so that none is lost. */
  constructor(send: SendLines, fallBack: (line: ShippedLine) => void) {
    this.#send = send;
    this.#fallBack = fallBack;
  }

  say(message: string, level: Level = 'INFO'): void {
    this.#waiting.push({ timestamp: nextTimestamp(), level, message });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS);
  }

  /** Resolves when everything said so far has been sent. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
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
