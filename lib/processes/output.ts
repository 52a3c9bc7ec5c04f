import { LINE_BYTES_MAX, LineSplitter } from './lines.ts';
import { nextTimestamp } from './timestamps.ts';

export type OutputStream = 'stdout' | 'stderr';

/**
 * One line of output, stamped when it was read (epoch milliseconds with a fraction, unique and increasing).
 * `isCut`: it was longer.
 */
export type OutputLine = { stream: OutputStream; line: string; timestamp: number; isCut: boolean };

/** Takes what a program prints, as it comes. */
export type OutputReader = {
  /** What it returns resolves when more may come; undefined: at once. */
  write(stream: OutputStream, bytes: Buffer): Promise<void> | undefined;
  /** Nothing more comes of either; resolves when everything has been delivered. */
  end(): Promise<void>;
};

/** Delivers the output line by line, here and at once. */
export function lineReader(
  onLine: (line: OutputLine) => void,
  lineBytesMax: number = LINE_BYTES_MAX,
): OutputReader {
  const splitterOf = (stream: OutputStream) =>
    new LineSplitter(
      (line, isCut) => onLine({ stream, line, timestamp: nextTimestamp(), isCut }),
      lineBytesMax,
    );
  const splitters = { stdout: splitterOf('stdout'), stderr: splitterOf('stderr') };
  return {
    write(stream, bytes) {
      splitters[stream].write(bytes);
      return undefined;
    },
    async end() {
      splitters.stdout.end();
      splitters.stderr.end();
    },
  };
}
