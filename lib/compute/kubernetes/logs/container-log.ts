import type { V1Pod } from '@kubernetes/client-node';
import { linesOf } from '../../../contract/terminal-text.ts';
import { jittered, messageOf } from '../../../listener/backoff.ts';
import type { Log } from '../../../listener/log.ts';
import { LineSplitter } from '../../../processes/lines.ts';
import { Refused } from '../api-server.ts';
import { type Next, Stepper } from '../stepper.ts';
import { type ContainerRun, runsOf } from './container-runs.ts';
import { ContainerLogPosition, stampedLine } from './position.ts';

/** After a connection that was lost the next one waits so long, at most. */
const RETRY_MILLISECONDS_MAX = 30_000;
const RETRY_MILLISECONDS = 1_000;
/** A connection that held for so long was a good one. */
const GOOD_MILLISECONDS = 60_000;
/**
 * Lines are cut again after masking, so that little of a line is lost because of a secret in it: secrets are
 * 64 KiB together at most.
 */
const RAW_LINE_BYTES_MAX = 96 * 1024;
/** The smallest step between the times of two lines, in milliseconds, that keeps their order. */
const STEP_MILLISECONDS = 0.001;

type LogQuery = { follow?: 'true'; previous?: 'true' };

/** A pod and its log, as the API server has them now. */
export type LogSource = {
  /** Undefined: it is gone. */
  pod(): Promise<V1Pod | undefined>;
  log(
    query: LogQuery & { timestamps: 'true'; sinceTime: string | undefined },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
};

type Parts = {
  source: LogSource;
  container: string;
  /** What it is called in what is said of it. */
  name: string;
  /** What was written earlier is left out; undefined: nothing. */
  since: Date | undefined;
  /** Resolves when there is room for more. */
  room: () => Promise<void>;
  /** Takes a line, with its time in epoch milliseconds. `isCut`: it was longer. */
  deliver: (timestamp: number, message: string, isCut: boolean) => void;
  /** Its pod is gone, and so is all that could be read. */
  gone: () => void;
  log: Log;
};

/**
 * Reads what a container writes, each line once, over dropped connections and restarts of the container,
 * until its pod is gone. While the container runs that is one open stream; while it does not, nothing.
 */
export class ContainerLog {
  readonly #parts: Parts;
  readonly #closed = new AbortController();
  readonly #position: ContainerLogPosition;
  readonly #stepper: Stepper;
  /** The newest run that was read to its end. */
  #readTo = -1;
  #failures = 0;
  #timestamp = 0;
  #isFollowing = false;
  /** Those who wait until all that was written is read. */
  #waiting: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#position = new ContainerLogPosition(parts.since);
    this.#stepper = new Stepper(() => this.#look().catch((error: unknown) => this.#failed(error)));
  }

  /** Its pod has changed, or is gone. */
  wake(): void {
    this.#stepper.wake();
  }

  /** Resolves when all that was written is read, but for what an open stream is just bringing. */
  async caughtUp(): Promise<void> {
    if (this.#isFollowing || this.#closed.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.wake();
    await promise;
  }

  close(): void {
    this.#closed.abort();
    this.#stepper.close();
    this.#tellCaughtUp();
  }

  #tellCaughtUp(): void {
    for (const tell of this.#waiting.splice(0)) tell();
  }

  async #look(): Promise<Next> {
    // What a watch has told may be old: which run a log is of would be a guess.
    const pod = await this.#parts.source.pod();
    if (pod === undefined) {
      this.close();
      this.#parts.gone();
      return 'until changed';
    }
    const { current, previous } = runsOf(pod, this.#parts.container);
    if (previous !== undefined) await this.#readEnd(previous, { previous: 'true' });
    if (current?.endedAt !== undefined) await this.#readEnd(current, {});
    this.#tellCaughtUp();
    if (current === undefined || current.endedAt !== undefined) return 'until changed';
    const begun = performance.now();
    this.#isFollowing = true;
    await this.#read({ follow: 'true' }).finally(() => {
      this.#isFollowing = false;
    });
    // The container has ended, or the connection has: the pod will tell.
    if (performance.now() - begun > GOOD_MILLISECONDS) this.#failures = 0;
    return this.#later();
  }

  /** Reads what is left of a run that has ended, unless that was done. */
  async #readEnd({ index, endedAt = 0 }: ContainerRun, query: LogQuery): Promise<void> {
    if (index <= this.#readTo) return;
    if (this.#position.isBefore(endedAt)) await this.#read(query).catch(unlessCleared);
    this.#readTo = index;
    this.#failures = 0;
  }

  async #read(query: LogQuery): Promise<void> {
    const { source, room } = this.#parts;
    const sinceTime = this.#position.rewind();
    const chunks = await source.log({ ...query, timestamps: 'true', sinceTime }, this.#closed.signal);
    const lines = new LineSplitter((line, isCut) => this.#take(line, isCut), RAW_LINE_BYTES_MAX, 'newline');
    for await (const chunk of chunks) {
      await room();
      lines.write(Buffer.from(chunk));
    }
    // What a stream that follows ends with may be half a line: it comes again.
    if (query.follow === undefined) lines.end();
  }

  #take(line: string, isCut: boolean): void {
    const stamped = stampedLine(line);
    if (stamped === undefined)
      this.#parts.log.debug(`${this.#parts.name}: its log has a line without a time`);
    else if (this.#position.take(stamped.at))
      for (const message of linesOf(stamped.message)) this.#deliver(stamped.at, message, isCut);
  }

  #deliver(at: bigint, message: string, isCut: boolean): void {
    this.#timestamp = Math.max(Number(at) / 1_000_000, this.#timestamp + STEP_MILLISECONDS);
    this.#parts.deliver(this.#timestamp, message, isCut);
  }

  #failed(error: unknown): Next {
    if (this.#closed.signal.aborted) return 'until changed';
    const level = this.#failures === 0 ? 'debug' : 'warn';
    this.#parts.log[level](`${this.#parts.name}: its log is read again soon: ${messageOf(error)}`);
    return this.#later();
  }

  #later(): number {
    this.#failures += 1;
    return jittered(this.#failures, RETRY_MILLISECONDS, RETRY_MILLISECONDS_MAX);
  }
}

/** The node has cleared the log away: nothing is left to be read. */
function unlessCleared(error: unknown): void {
  if (!(error instanceof Refused && error.code === 400)) throw error;
}
