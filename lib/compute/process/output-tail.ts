import { OUTPUT_FOLLOWS } from '../../domain/agent-failure.ts';
import { causeLine, ExceptionChain } from '../../domain/exception-chain.ts';
import { cutText } from '../../processes/lines.ts';

/** As many last lines of output are quoted to say why a server failed. */
const LINES_MAX = 20;
/** What of them fits into a status message. */
const BYTES_MAX = 6000;
const CAUSE_BYTES_MAX = 500;

/** The last lines of a server's output, and what caused the exception in it, which may stand above them. */
export type Tail = { lines: readonly string[]; cause: string | undefined };

/** Reads output for its end. */
export class TailReader {
  readonly #lines: string[] = [];
  readonly #chain = new ExceptionChain();

  add(line: string): void {
    this.#chain.add(line);
    this.#lines.push(line);
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
  }

  get tail(): Tail {
    return { lines: [...this.#lines], cause: this.#chain.cause };
  }
}

/** The end of a server's output; empty until all of it is read. */
export class OutputTail {
  #tail: Tail = { lines: [], cause: undefined };

  set(tail: Tail): void {
    this.#tail = tail;
  }

  /** Whether any of the last lines has these words. */
  mentions(words: string): boolean {
    return this.#tail.lines.some((line) => line.includes(words));
  }

  /** The reason of a failure, followed by the last lines of output. */
  after(reason: string): string {
    const { lines: all, cause } = this.#tail;
    if (all.length === 0) return `${reason} It wrote nothing.`;
    const lines: string[] = [];
    let room = BYTES_MAX;
    for (const line of all.toReversed()) {
      room -= Buffer.byteLength(line) + 1;
      if (room < 0 && lines.length > 0) break;
      lines.unshift(cutText(line, BYTES_MAX));
    }
    if (cause !== undefined) lines.push(causeLine(cutText(cause, CAUSE_BYTES_MAX)));
    return `${reason}${OUTPUT_FOLLOWS}\n${lines.join('\n')}`;
  }
}
