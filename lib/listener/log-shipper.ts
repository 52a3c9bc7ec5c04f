import type { LogLevel } from '../contract/log-level.ts';
import type { ShipLogsRequest } from '../features/listener-protocol/shape.ts';
import { nextTimestamp } from '../processes/timestamps.ts';
import { messageOf } from './backoff.ts';
import { ControlPlaneRefused } from './http.ts';
import type { Log } from './log.ts';

export type ShippedLine = { timestamp: number; level: LogLevel; message: string };
type Entry = { deploymentId: string; revisionId: string; line: ShippedLine };
type Send = (body: ShipLogsRequest, signal: AbortSignal) => Promise<void>;

/** A person who follows a log sees a line within a moment; a chatty server costs four requests a second. */
const FLUSH_MILLISECONDS = 250;
const FLUSH_LINES = 200;
/**
 * Protocol limits: 1,000 lines a batch, 50 batches; a body stays below 1 MiB, also when each character needs
 * six bytes in JSON.
 */
const REQUEST_LINES_MAX = 900;
const REQUEST_BATCHES_MAX = 50;
const REQUEST_CHARACTERS_MAX = 160 * 1024;
/** What may wait while the control plane does not answer; beyond it the oldest lines go. */
const WAITING_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Who can wait before it reads more does so beyond this. */
const FULL_CHARACTERS = WAITING_CHARACTERS_MAX / 4;
/** What an entry takes beside its text. */
const ENTRY_CHARACTERS = 128;

function sizeOf(entry: Entry): number {
  return entry.line.message.length + ENTRY_CHARACTERS;
}

/** Ships the output of agent servers in batches, in order, with bounded memory. */
export class LogShipper {
  readonly #send: Send;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  #waiting: Entry[] = [];
  #waitingCharacters = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(send: Send, log: Log) {
    this.#send = send;
    this.#log = log;
  }

  push(deploymentId: string, revisionId: string, line: ShippedLine): void {
    const entry = { deploymentId, revisionId, line };
    this.#waiting.push(entry);
    this.#waitingCharacters += sizeOf(entry);
    if (this.#waitingCharacters > WAITING_CHARACTERS_MAX) this.#dropOldest();
    if (this.#waiting.length >= FLUSH_LINES) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS);
  }

  /** Resolves when there is room for more, so that nothing has to be dropped. */
  async room(): Promise<void> {
    while (this.#waitingCharacters > FULL_CHARACTERS && !this.#stopped.signal.aborted) await this.flush();
  }

  /** Everything that came has been sent. */
  isDone(): boolean {
    return this.#waiting.length === 0 && this.#sending === undefined && !this.#stopped.signal.aborted;
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
    const isLeft = () => this.#waiting.length > 0 || this.#sending !== undefined;
    while (isLeft() && !this.#stopped.signal.aborted) await this.flush();
    clearTimeout(timer);
    clearTimeout(this.#timer);
  }

  #dropOldest(): void {
    // A tenth at once: dropping one line at a time would shift the whole array for each new line.
    const count = Math.ceil(this.#waiting.length / 10);
    for (const entry of this.#waiting.splice(0, count)) this.#waitingCharacters -= sizeOf(entry);
    this.#dropped += count;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#stopped.signal.aborted) {
      const entries = this.#take();
      try {
        await this.#send({ batches: toBatches(entries) }, this.#stopped.signal);
      } catch (error) {
        if (error instanceof ControlPlaneRefused)
          this.#log.warn(`${entries.length} log lines were refused: ${error.message}`);
        else if (!this.#stopped.signal.aborted) this.#log.warn(`log lines not shipped: ${messageOf(error)}`);
      }
    }
  }

  #take(): Entry[] {
    const taken: Entry[] = [];
    const sources = new Set<string>();
    let characters = 0;
    for (const entry of this.#waiting) {
      sources.add(`${entry.deploymentId}/${entry.revisionId}`);
      characters += sizeOf(entry);
      const full = taken.length >= REQUEST_LINES_MAX || sources.size > REQUEST_BATCHES_MAX;
      if (taken.length > 0 && (full || characters > REQUEST_CHARACTERS_MAX)) break;
      taken.push(entry);
    }
    this.#waiting = this.#waiting.slice(taken.length);
    for (const entry of taken) this.#waitingCharacters -= sizeOf(entry);
    const first = taken[0];
    if (this.#dropped > 0 && first !== undefined) {
      const message = `${this.#dropped} older log lines were dropped: they could not be shipped in time`;
      taken.unshift({ ...first, line: { timestamp: nextTimestamp(), level: 'WARNING', message } });
      this.#dropped = 0;
    }
    return taken;
  }
}

function toBatches(entries: Entry[]): ShipLogsRequest['batches'] {
  const batches = new Map<string, ShipLogsRequest['batches'][number]>();
  for (const { deploymentId, revisionId, line } of entries) {
    const key = `${deploymentId}/${revisionId}`;
    const batch = batches.get(key) ?? { deployment_id: deploymentId, revision_id: revisionId, lines: [] };
    batch.lines.push(line);
    batches.set(key, batch);
  }
  return [...batches.values()];
}
