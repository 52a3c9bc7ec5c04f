import { type WaitingLine, WaitingLines } from '../../../listener/waiting-lines.ts';
import type { FromReader, ToReader } from './messages.ts';
import { SourceReader } from './source-reader.ts';

/** What is handed over at a time, until it has been taken. */
const HANDED_OVER = { lines: 1000, characters: 256 * 1024, sources: Number.POSITIVE_INFINITY };
const EVERYTHING = {
  lines: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
  sources: Number.POSITIVE_INFINITY,
};

/**
 * What the thread that reads output does: takes bytes, tells masked lines, and keeps with bounded memory what
 * is not taken from it.
 */
export class OutputReading {
  readonly #tell: (message: FromReader) => void;
  readonly #sources = new Map<number, SourceReader>();
  readonly #waiting = new WaitingLines();
  /** Lines have been handed over that have not been taken yet. */
  #isHandedOver = false;

  constructor(tell: (message: FromReader) => void) {
    this.#tell = tell;
  }

  hear(message: ToReader): void {
    switch (message.kind) {
      case 'open':
        return this.#open(message);
      case 'bytes':
        // Nothing of a source that was not opened passes: there is nothing to mask it with.
        this.#sources.get(message.id)?.write(message.stream, message.bytes);
        this.#handOver();
        return this.#tell({ kind: 'read', id: message.id, bytes: message.bytes.byteLength });
      case 'end':
        return this.#end(message.id);
      case 'taken':
        this.#isHandedOver = false;
        return this.#handOver();
      case 'close':
        this.#tell({ kind: 'lines', lines: this.#waiting.take(EVERYTHING) });
        return this.#tell({ kind: 'closed' });
    }
  }

  #open({ id, source, torn }: ToReader & { kind: 'open' }): void {
    const { deploymentId, revisionId } = source;
    const onLine = (line: WaitingLine['line']) => this.#waiting.push({ deploymentId, revisionId, line });
    const onFailed = (text: string) => this.#tell({ kind: 'failed', id, message: text });
    this.#sources.set(id, new SourceReader(source, torn, { onLine, onFailed }));
  }

  #end(id: number): void {
    const tail = this.#sources.get(id)?.end() ?? { lines: [], cause: undefined };
    this.#sources.delete(id);
    this.#handOver();
    this.#tell({ kind: 'ended', id, tail });
  }

  #handOver(): void {
    if (this.#isHandedOver || this.#waiting.count === 0) return;
    this.#isHandedOver = true;
    this.#tell({ kind: 'lines', lines: this.#waiting.take(HANDED_OVER) });
  }
}
