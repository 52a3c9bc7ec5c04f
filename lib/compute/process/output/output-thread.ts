import { Worker } from 'node:worker_threads';
import { jittered } from '../../../listener/backoff.ts';
import type { Log } from '../../../listener/log.ts';
import type { LogShipper } from '../../../listener/log-shipper.ts';
import { nextTimestamp, sharedTimestamps } from '../../../processes/timestamps.ts';
import type { FromReader, OutputSource, ToReader } from './messages.ts';
import { OpenSource } from './open-source.ts';
import type { OutputThreadData } from './output-main.ts';

const RESTART_BASE_MILLISECONDS = 50;
const RESTART_MILLISECONDS_MAX = 5_000;
/** One that has lived so long is started again at once. */
const SOUND_MILLISECONDS = 60_000;
/** It gives up reading by itself after a second; one that does not end is ended. */
const CLOSE_MILLISECONDS_MAX = 3_000;

type Parts = {
  shipper: Pick<LogShipper, 'push' | 'room'>;
  log: Pick<Log, 'error'>;
  /** What the thread runs. */
  main?: URL;
};

const MAIN = new URL('./output-main.ts', import.meta.url);

/**
 * Reads and masks the output of agents in a thread of its own, so that a chatty one holds up nothing else. It
 * is started with the first source. When it crashes, that is told in the log of each deployment whose output
 * it read, and another one goes on: what it had not read or handed over is lost, and nothing passes unmasked.
 */
export class OutputThread {
  readonly #parts: Parts;
  readonly #sources = new Map<number, OpenSource>();
  #thread: Worker | undefined;
  /** What the next thread is told first, while there is none. */
  #untold: ToReader[] = [];
  #starting: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #crashes = 0;
  #opened = 0;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins with a source: its secrets are known to the thread before anything of it is read. */
  open(source: OutputSource): OpenSource {
    this.#opened += 1;
    const opened = new OpenSource(this.#opened, source, (message) => this.#send(message));
    if (this.#isClosed) opened.leave();
    else this.#sources.set(opened.id, opened);
    if (this.#thread === undefined && this.#starting === undefined) this.#start();
    return opened;
  }

  /**
   * Takes what has been read, for it to be shipped, and ends the thread. Of a program that printed more than
   * could be read, its log says how much is missing.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#starting);
    const thread = this.#thread;
    if (thread !== undefined) {
      const exited = new Promise((resolve) => thread.once('exit', resolve));
      const limit = setTimeout(() => void thread.terminate(), CLOSE_MILLISECONDS_MAX);
      tell(thread, { kind: 'close' });
      await exited;
      clearTimeout(limit);
    }
    for (const source of this.#sources.values()) {
      const { bytes } = source.lose();
      if (bytes > 0)
        this.#sayIn(source, `The listener has ended before it had read the last ${bytes} bytes of output.`);
      source.leave();
    }
    this.#sources.clear();
  }

  #send(message: ToReader): void {
    if (this.#thread !== undefined) tell(this.#thread, message);
    else if (!this.#isClosed) this.#untold.push(message);
  }

  #start(): void {
    this.#starting = undefined;
    if (this.#isClosed) return;
    const workerData: OutputThreadData = { timestamps: sharedTimestamps() };
    const thread = new Worker(this.#parts.main ?? MAIN, { workerData, name: 'output' });
    this.#thread = thread;
    this.#startedAt = performance.now();
    let why = '';
    thread.on('message', (message: FromReader) => this.#hear(thread, message));
    // Its message may hold what was read.
    thread.on('error', (error: unknown) => {
      why = error instanceof Error ? ` (${error.name})` : '';
    });
    thread.once('exit', () => this.#onExit(why));
    for (const message of this.#untold.splice(0)) tell(thread, message);
  }

  #hear(thread: Worker, message: FromReader): void {
    if (message.kind === 'closed') return void thread.terminate();
    if (message.kind !== 'lines') {
      if (this.#sources.get(message.id)?.hear(message) === true) this.#sources.delete(message.id);
      return;
    }
    const { shipper } = this.#parts;
    for (const { deploymentId, revisionId, line } of message.lines)
      shipper.push(deploymentId, revisionId, line);
    void shipper.room().then(() => tell(thread, { kind: 'taken' }));
  }

  #onExit(why: string): void {
    this.#thread = undefined;
    if (this.#isClosed) return;
    this.#crashes = performance.now() - this.#startedAt < SOUND_MILLISECONDS ? this.#crashes + 1 : 0;
    const what = `What reads the output of agents has ended unexpectedly${why} and is started again`;
    this.#parts.log.error(`${what}.`);
    for (const source of this.#sources.values()) {
      const { bytes, again } = source.lose();
      this.#untold.push(...again);
      this.#sayIn(source, `${what}. Lines of output are missing here: ${bytes} bytes had not been read.`);
    }
    const wait = jittered(this.#crashes, RESTART_BASE_MILLISECONDS, RESTART_MILLISECONDS_MAX);
    this.#starting = setTimeout(() => this.#start(), wait);
  }

  #sayIn({ source: { deploymentId, revisionId } }: OpenSource, message: string): void {
    const line = { timestamp: nextTimestamp(), level: 'WARNING', message } as const;
    this.#parts.shipper.push(deploymentId, revisionId, line);
  }
}

function tell(thread: Worker, message: ToReader): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- another thread has none
  thread.postMessage(message);
}
