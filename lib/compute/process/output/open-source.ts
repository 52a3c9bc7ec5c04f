import type { OutputReader, OutputStream } from '../../../processes/output.ts';
import { OutputTail } from '../output-tail.ts';
import type { FromReader, OutputSource, ToReader } from './messages.ts';

/** What of a program's output may be on its way to be read; beyond it the program waits in its write. */
const UNREAD_BYTES_MAX = 64 * 1024;
const NEWLINE = 0x0a;

type Waiting = { until: number; resolve: () => void };

/** A program whose output is read in another thread, as the thread that has its pipes sees it. */
export class OpenSource implements OutputReader {
  readonly id: number;
  readonly source: OutputSource;
  /** The end of its output, masked; there once `end` has resolved. */
  readonly tail = new OutputTail();
  readonly #send: (message: ToReader) => void;
  readonly #ended = Promise.withResolvers<void>();
  /** Streams of which the last line that was sent has no end yet. */
  readonly #open = new Set<OutputStream>();
  #sentBytes = 0;
  #readBytes = 0;
  #waiting: Waiting[] = [];
  #failure: string | undefined;
  #isEnded = false;

  constructor(id: number, source: OutputSource, send: (message: ToReader) => void) {
    this.id = id;
    this.source = source;
    this.#send = send;
    send(this.#opening([]));
  }

  /** The line that says that it never will be ready, if there is one. */
  get failure(): string | undefined {
    return this.#failure;
  }

  write(stream: OutputStream, bytes: Buffer): Promise<void> | undefined {
    this.#send({ kind: 'bytes', id: this.id, stream, bytes });
    this.#sentBytes += bytes.length;
    if (bytes.at(-1) === NEWLINE) this.#open.delete(stream);
    else this.#open.add(stream);
    const over = this.#sentBytes - this.#readBytes - UNREAD_BYTES_MAX;
    return over > 0 ? this.#readUntil(this.#sentBytes - UNREAD_BYTES_MAX / 2) : undefined;
  }

  end(): Promise<void> {
    this.#isEnded = true;
    this.#send({ kind: 'end', id: this.id });
    return this.#ended.promise;
  }

  /** Resolves when all that has come so far is read. */
  caughtUp(): Promise<void> {
    return this.#readUntil(this.#sentBytes);
  }

  /** True: nothing more comes of it. */
  hear(message: FromReader & { id: number }): boolean {
    if (message.kind === 'failed') this.#failure ??= message.message;
    if (message.kind === 'read') this.#read(message.bytes);
    if (message.kind !== 'ended') return false;
    this.tail.set(message.tail);
    this.leave();
    return true;
  }

  /** Whoever read it is gone, with what had not been read: how many bytes, and how another one begins. */
  lose(): { bytes: number; again: ToReader[] } {
    const bytes = this.#sentBytes - this.#readBytes;
    this.#read(bytes);
    const ending: ToReader[] = this.#isEnded ? [{ kind: 'end', id: this.id }] : [];
    return { bytes, again: [this.#opening([...this.#open]), ...ending] };
  }

  /** Nobody reads it any more, and nobody shall wait for that. */
  leave(): void {
    this.#ended.resolve();
    this.#read(this.#sentBytes - this.#readBytes);
  }

  #opening(torn: readonly OutputStream[]): ToReader {
    return { kind: 'open', id: this.id, source: this.source, torn };
  }

  #readUntil(until: number): Promise<void> {
    if (this.#readBytes >= until) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ until, resolve }));
  }

  #read(bytes: number): void {
    this.#readBytes += bytes;
    const due = this.#waiting.filter(({ until }) => until <= this.#readBytes);
    this.#waiting = this.#waiting.filter(({ until }) => until > this.#readBytes);
    for (const { resolve } of due) resolve();
  }
}
