import { guessLevel } from '../../../contract/log-level.ts';
import type { Mask } from '../../../contract/mask.ts';
import type { ShippedLine } from '../../../listener/waiting-lines.ts';
import { cutText, LineSplitter } from '../../../processes/lines.ts';
import type { OutputStream } from '../../../processes/output.ts';
import { nextTimestamp } from '../../../processes/timestamps.ts';
import { type AgentLine, agentLines } from '../langgraph-log.ts';
import { type Tail, TailReader } from '../output-tail.ts';
import { maskOf } from './masking.ts';
import type { OutputFormat, OutputSource } from './messages.ts';

/**
 * Lines are cut again after masking, so that little of a line is lost because of a secret in it: secrets are
 * 64 KiB together at most.
 */
const RAW_LINE_BYTES_MAX = 96 * 1024;
const NEWLINE = 0x0a;

const formats: Record<OutputFormat, (line: string) => AgentLine[]> = {
  plain: (line) => [{ level: guessLevel(line), message: line }],
  agent: agentLines,
};

/** What is found in the output of a source; all of it is masked. */
type Found = { onLine: (line: ShippedLine) => void; onFailed: (message: string) => void };

/** Reads the output of one program into masked lines, in the order in which it comes. */
export class SourceReader {
  readonly #source: OutputSource;
  readonly #found: Found;
  readonly #mask: Mask;
  readonly #toLines: (line: string) => AgentLine[];
  readonly #ownPaths: ReadonlySet<string>;
  readonly #tail = new TailReader();
  readonly #torn: Set<OutputStream>;
  readonly #splitters: Record<OutputStream, LineSplitter>;
  #hasFailed = false;

  /** `torn`: streams whose next bytes go on with a line that began before, which is passed over. */
  constructor(source: OutputSource, torn: readonly OutputStream[], found: Found) {
    this.#source = source;
    this.#found = found;
    this.#mask = maskOf(source.masking);
    this.#toLines = formats[source.format];
    this.#ownPaths = new Set(source.ownPaths);
    this.#torn = new Set(torn);
    const splitter = () => new LineSplitter((line, isCut) => this.#take(line, isCut), RAW_LINE_BYTES_MAX);
    this.#splitters = { stdout: splitter(), stderr: splitter() };
  }

  write(stream: OutputStream, bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const whole = this.#torn.has(stream) ? this.#afterTorn(stream, chunk) : chunk;
    this.#splitters[stream].write(whole);
  }

  /** Delivers what has no end of a line yet, and gives the end of all that came. */
  end(): Tail {
    for (const splitter of Object.values(this.#splitters)) splitter.end();
    return this.#tail.tail;
  }

  #afterTorn(stream: OutputStream, chunk: Buffer): Buffer {
    const at = chunk.indexOf(NEWLINE);
    if (at === -1) return chunk.subarray(chunk.length);
    this.#torn.delete(stream);
    return chunk.subarray(at + 1);
  }

  #take(line: string, isCut: boolean): void {
    for (const { level, message: said } of this.#toLines(line)) {
      const message = cutText(this.#mask(said, isCut));
      if (!this.#isOurs(message)) this.#tail.add(message);
      if (level === this.#source.fatalLevel && !this.#hasFailed) {
        this.#hasFailed = true;
        this.#found.onFailed(message);
      }
      this.#found.onLine({ timestamp: nextTimestamp(), level, message });
    }
  }

  /** Whether it is a line of an access log about a request of ours. */
  #isOurs(line: string): boolean {
    const asked = /\bGET (\S+)/.exec(line)?.[1]?.replace(/["']$/, '');
    return asked !== undefined && this.#ownPaths.has(asked);
  }
}
