import type { LogLine, Logs, RevisionLog } from '../../adapters/logs.ts';
import type { LogLevel } from '../../contract/log-level.ts';
import { createMask, type Mask } from '../../contract/mask.ts';
import { withColoursAlone, withoutSequences } from '../../contract/terminal-text.ts';
import { cleanMessage, levelOfOutput } from '../../domain/log-line.ts';
import type { HidePaths } from '../../processes/hidden-paths.ts';
import type { OutputLine } from '../../processes/output.ts';
import { nextTimestamp } from '../../processes/timestamps.ts';

/**
 * Who follows a log sees a line within a fifth of a second, and a chatty tool costs five transactions a
 * second.
 */
const FLUSH_MILLISECONDS = 100;
const BATCH_LINES_MAX = 500;
const TAIL_LINES = 15;

/**
 * The log of one build: lines are stamped when they come, masked, and written in batches in their order. It
 * holds no paths of this machine.
 */
export type BuildLog = {
  /** Says what the builder itself does or found. */
  say(message: string, level?: LogLevel): void;
  /** Takes a line that a command printed. */
  output(line: OutputLine): void;
  /** The last lines that commands printed since `startTail`, masked. */
  tail(): readonly string[];
  startTail(): void;
  mask(text: string): string;
  /** Resolves when all lines so far are stored. */
  flush(): Promise<void>;
};

export function openBuildLog(
  logs: Pick<Logs, 'append'>,
  stream: RevisionLog,
  { maskValues, hide }: { maskValues: readonly string[]; hide: HidePaths },
): BuildLog {
  const writer = batchWriter((lines) => logs.append(stream, lines));
  const maskAll = createMask(maskValues);
  const mask: Mask = (text, isCut) => hide(maskAll(text, isCut));
  let tail: string[] = [];
  return {
    mask,
    say: (message, level = 'INFO') =>
      writer.add({ timestamp: nextTimestamp(), level, message: cleanMessage(mask(message)) }),
    output({ line, timestamp, isCut }) {
      const text = cleanMessage(mask(withoutSequences(line), isCut));
      if (text.trim() !== '') tail = [...tail, text].slice(-TAIL_LINES);
      const message = cleanMessage(mask(withColoursAlone(line), isCut));
      writer.add({ timestamp, level: levelOfOutput(text), message });
    },
    tail: () => tail,
    startTail: () => {
      tail = [];
    },
    flush: writer.flush,
  };
}

function batchWriter(append: (lines: LogLine[]) => Promise<void>): {
  add(line: LogLine): void;
  flush(): Promise<void>;
} {
  let waiting: LogLine[] = [];
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    // A log store that fails (a full disk) must not fail the build: what happened is in the build's result
    // too.
    if (batch.length > 0) written = written.then(() => append(batch)).catch(() => undefined);
    return written;
  };
  return {
    flush,
    add(line) {
      waiting.push(line);
      if (waiting.length >= BATCH_LINES_MAX) void flush();
      else timer ??= setTimeout(() => void flush(), FLUSH_MILLISECONDS);
    },
  };
}
