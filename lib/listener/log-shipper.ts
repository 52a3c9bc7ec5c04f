import type { ShipLogsRequest } from '../features/listener-protocol/shape.ts';
import { messageOf } from './backoff.ts';
import { ControlPlaneRefused } from './http.ts';
import type { Log } from './log.ts';
import { type ShippedLine, WAITING_CHARACTERS_MAX, type WaitingLine, WaitingLines } from './waiting-lines.ts';

type Send = (body: ShipLogsRequest, signal: AbortSignal) => Promise<void>;

/** A person who follows a log sees a line within a moment; a chatty server costs four requests a second. */
const FLUSH_MILLISECONDS = 250;
const FLUSH_LINES = 200;
/**
 * Protocol limits: 1,000 lines a batch, 50 batches; a body stays below 1 MiB, also when each character needs
 * six bytes in JSON.
 */
const REQUEST = { lines: 900, sources: 50, characters: 160 * 1024 };
/** Who can wait before it reads more does so beyond this. */
const FULL_CHARACTERS = WAITING_CHARACTERS_MAX / 4;

/** Ships the output of agent servers in batches, in order, with bounded memory. */
export class LogShipper {
  readonly #send: Send;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  readonly #waiting = new WaitingLines();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(send: Send, log: Log) {
    this.#send = send;
    this.#log = log;
  }

  push(deploymentId: string, revisionId: string, line: ShippedLine): void {
    this.#waiting.push({ deploymentId, revisionId, line });
    if (this.#waiting.count >= FLUSH_LINES) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS);
  }

  /** Resolves when there is room for more, so that nothing has to be dropped. */
  async room(): Promise<void> {
    while (this.#waiting.characters > FULL_CHARACTERS && !this.#stopped.signal.aborted) await this.flush();
  }

  /** Everything that came has been sent. */
  isDone(): boolean {
    return this.#waiting.count === 0 && this.#sending === undefined && !this.#stopped.signal.aborted;
  }

  /** Sends what waits now; resolves when it has been taken. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Sends what waits, for at most this long, then stops. */
  async close(withinMilliseconds: number): Promise<void> {
    const timer = setTimeout(() => this.#stopped.abort(), withinMilliseconds);
    const isLeft = () => this.#waiting.count > 0 || this.#sending !== undefined;
    while (isLeft() && !this.#stopped.signal.aborted) await this.flush();
    clearTimeout(timer);
    clearTimeout(this.#timer);
  }

  async #drain(): Promise<void> {
    while (this.#waiting.count > 0 && !this.#stopped.signal.aborted) {
      const entries = this.#waiting.take(REQUEST);
      try {
        await this.#send({ batches: toBatches(entries) }, this.#stopped.signal);
      } catch (error) {
        if (error instanceof ControlPlaneRefused)
          this.#log.warn(`${entries.length} log lines were refused: ${error.message}`);
        else if (!this.#stopped.signal.aborted) this.#log.warn(`log lines not shipped: ${messageOf(error)}`);
      }
    }
  }
}

function toBatches(entries: WaitingLine[]): ShipLogsRequest['batches'] {
  const batches = new Map<string, ShipLogsRequest['batches'][number]>();
  for (const { deploymentId, revisionId, line } of entries) {
    const key = `${deploymentId}/${revisionId}`;
    const batch = batches.get(key) ?? { deployment_id: deploymentId, revision_id: revisionId, lines: [] };
    batch.lines.push(line);
    batches.set(key, batch);
  }
  return [...batches.values()];
}
