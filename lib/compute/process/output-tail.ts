import { OUTPUT_FOLLOWS } from '../../domain/agent-failure.ts';
import { causeLine, ExceptionChain } from '../../domain/exception-chain.ts';
import { cutText } from '../../processes/lines.ts';

/** As many last lines of output are quoted to say why a server failed. */
const LINES_MAX = 20;
/** What of them fits into a status message. */
const BYTES_MAX = 6000;
const CAUSE_BYTES_MAX = 500;

/** The end of a server's output, and what caused the exception in it, which may stand above that end. */
export class OutputTail {
  readonly #lines: string[] = [];
  readonly #chain = new ExceptionChain();

  add(line: string): void {
    this.#chain.add(line);
    this.#lines.push(line);
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
  }

  /** Whether any of the last lines has these words. */
  mentions(words: string): boolean {
    return this.#lines.some((line) => line.includes(words));
  }

  /** The reason of a failure, followed by the last lines of output. */
  after(reason: string): string {
    if (this.#lines.length === 0) return `${reason} It wrote nothing.`;
    const lines: string[] = [];
    let room = BYTES_MAX;
    for (const line of this.#lines.toReversed()) {
      room -= Buffer.byteLength(line) + 1;
      if (room < 0 && lines.length > 0) break;
      lines.unshift(cutText(line, BYTES_MAX));
    }
    const { cause } = this.#chain;
    if (cause !== undefined) lines.push(causeLine(cutText(cause, CAUSE_BYTES_MAX)));
    return `${reason}${OUTPUT_FOLLOWS}\n${lines.join('\n')}`;
  }
}
