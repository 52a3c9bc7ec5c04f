import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextLook } from 'node:timers/promises';
import { LINE_BYTES_MAX, LineSplitter } from './lines.ts';
import { type GroupRecord, startTimeOf } from './table/read.ts';
import { MARKER_VARIABLE } from './table/source.ts';
import { nextTimestamp } from './timestamps.ts';

/**
 * One line of output, stamped when it was read (epoch milliseconds with a fraction, unique and increasing).
 */
export type OutputLine = { stream: 'stdout' | 'stderr'; line: string; timestamp: number };

export type GroupCommand = {
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment; see `childEnvironment`. */
  environment: Record<string, string>;
  onLine: (line: OutputLine) => void;
  /** Whom it runs as; this process's own user otherwise. Only root may name another. */
  user?: { uid: number; gid: number };
  /** `pipe` for a child that ends when its parent is gone. */
  stdin?: 'ignore' | 'pipe';
  lineBytesMax?: number;
};

/** How the first process of a group ended. `error` when it could not be started. */
export type GroupExit = { code: number | null; signal: NodeJS.Signals | null; error?: string };

export type ProcessGroup = GroupRecord & {
  readonly stdin: Writable | null;
  /** Set once the first process has ended. Other members may still live: stop the group. */
  readonly exit: GroupExit | undefined;
  /** Resolves when the first process has ended and its output is delivered. */
  readonly exited: Promise<GroupExit>;
};

/**
 * An orphan may hold the pipes open for ever: what has not come this long after the exit is not waited for.
 */
const DRAIN_MILLISECONDS = 250;
/** An orphan that never stops writing is not waited for any longer than this. */
const DRAIN_MILLISECONDS_MAX = 2_000;

function readLines(
  stream: Readable,
  name: OutputLine['stream'],
  command: GroupCommand,
  onBytes: (count: number) => void,
): Promise<void> {
  const splitter = new LineSplitter(
    (line) => command.onLine({ stream: name, line, timestamp: nextTimestamp() }),
    command.lineBytesMax ?? LINE_BYTES_MAX,
  );
  stream.on('data', (chunk: Buffer) => {
    onBytes(chunk.length);
    splitter.write(chunk);
  });
  stream.on('error', () => undefined);
  return new Promise((resolve) => {
    stream.once('close', () => {
      splitter.end();
      resolve();
    });
  });
}

function exitOf(child: ChildProcess): Promise<GroupExit> {
  return new Promise((resolve) => {
    // Not `close`: that waits for every process that holds the pipes.
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => resolve({ code: null, signal: null, error: error.message }));
  });
}

/** Waits for the end of the output, but not for ever. `bytesRead` counts what has come of it so far. */
async function drain(child: ChildProcess, read: Promise<unknown>, bytesRead: () => number): Promise<void> {
  let ended = false;
  const timer = new AbortController();
  const ending = read.then(() => {
    ended = true;
    timer.abort();
  });
  await delay(DRAIN_MILLISECONDS, undefined, { signal: timer.signal }).catch(() => undefined);
  // On a busy machine that time may have passed without a look at the pipes: what lies in them is read before
  // they are given up.
  const deadline = performance.now() + DRAIN_MILLISECONDS_MAX;
  for (let seen = -1; !ended && seen !== bytesRead() && performance.now() < deadline; ) {
    seen = bytesRead();
    await nextLook();
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
  await ending;
}

/**
 * Starts a command in its own session and process group, its output delivered line by line. `marker`
 * identifies its members, `markerValue` (which contains it) is what they carry in their environment.
 */
export function startGroup(command: GroupCommand, marker: string, markerValue: string): ProcessGroup {
  const child = spawn(command.command, [...command.args], {
    cwd: command.cwd,
    env: { ...command.environment, [MARKER_VARIABLE]: markerValue },
    detached: true,
    ...command.user,
    stdio: [command.stdin ?? 'ignore', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined);
  let bytesRead = 0;
  const onBytes = (count: number) => {
    bytesRead += count;
  };
  const read = [
    child.stdout === null ? Promise.resolve() : readLines(child.stdout, 'stdout', command, onBytes),
    child.stderr === null ? Promise.resolve() : readLines(child.stderr, 'stderr', command, onBytes),
  ];
  let exit: GroupExit | undefined;
  const exited = exitOf(child).then(async (ended) => {
    exit = ended;
    await drain(child, Promise.all(read), () => bytesRead);
    return ended;
  });
  return {
    pid: child.pid,
    startTime: child.pid === undefined ? undefined : startTimeOf(child.pid),
    marker,
    stdin: child.stdin,
    exited,
    get exit() {
      return exit;
    },
  };
}
