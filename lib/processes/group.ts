import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextLook } from 'node:timers/promises';
import { lineReader, type OutputLine, type OutputReader, type OutputStream } from './output.ts';
import { type GroupRecord, startTimeOf } from './table/read.ts';
import { MARKER_VARIABLE } from './table/source.ts';

export type GroupCommand = {
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment; see `childEnvironment`. */
  environment: Record<string, string>;
  /** Whom it runs as; this process's own user otherwise. Only root may name another. */
  user?: { uid: number; gid: number };
  /** `pipe` for a child that ends when its parent is gone. */
  stdin?: 'ignore' | 'pipe';
} & (
  | { onLine: (line: OutputLine) => void; lineBytesMax?: number; output?: never }
  /** Who takes its output instead. */
  | { output: OutputReader }
);

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
/** How often we look whether a reader that holds a stream has room again. */
const HELD_MILLISECONDS = 5;

/** What has come of a program's output so far. `held`: how many streams wait for their reader. */
type Progress = { bytesRead: number; held: number };

/** Resolves when nothing more comes of a stream. */
function readInto(
  stream: Readable,
  name: OutputStream,
  reader: OutputReader,
  progress: Progress,
): Promise<void> {
  stream.on('data', (chunk: Buffer) => {
    progress.bytesRead += chunk.length;
    const room = reader.write(name, chunk);
    if (room === undefined) return;
    stream.pause();
    progress.held += 1;
    void room.then(() => {
      progress.held -= 1;
      stream.resume();
    });
  });
  stream.on('error', () => undefined);
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
  });
}

function exitOf(child: ChildProcess): Promise<GroupExit> {
  return new Promise((resolve) => {
    // Not `close`: that waits for every process that holds the pipes.
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => resolve({ code: null, signal: null, error: error.message }));
  });
}

/** Waits for the end of the output, but not for ever. */
async function drain(child: ChildProcess, read: Promise<unknown>, progress: Progress): Promise<void> {
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
  const comesMore = (seen: number) => seen !== progress.bytesRead || progress.held > 0;
  for (let seen = -1; !ended && comesMore(seen) && performance.now() < deadline; ) {
    seen = progress.bytesRead;
    await (progress.held > 0 ? delay(HELD_MILLISECONDS) : nextLook());
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
  const reader = command.output ?? lineReader(command.onLine, command.lineBytesMax);
  const progress: Progress = { bytesRead: 0, held: 0 };
  const read = [
    child.stdout === null ? Promise.resolve() : readInto(child.stdout, 'stdout', reader, progress),
    child.stderr === null ? Promise.resolve() : readInto(child.stderr, 'stderr', reader, progress),
  ];
  let exit: GroupExit | undefined;
  const exited = exitOf(child).then(async (ended) => {
    exit = ended;
    await drain(child, Promise.all(read), progress);
    await reader.end();
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
