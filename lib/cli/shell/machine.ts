import { spawn } from 'node:child_process';
import { homedir, hostname } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { addAbortSignal, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Sink, World } from './world.ts';

/** The machine that this process runs on. `version`: of this program. */
export function thisMachine(version: string): World {
  const ending = new AbortController();
  // A second one ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());
  return {
    environment: process.env,
    platform: process.platform,
    cwd: process.cwd(),
    home: homedir(),
    host: hostname(),
    userId: process.getuid?.(),
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    stdin: {
      isTerminal: process.stdin.isTTY,
      // Who is asked for what comes to its end may give up too.
      text: () => text(addAbortSignal(ending.signal, process.stdin)),
      line: (question, isHidden) => typedLine(question, isHidden === true, ending.signal),
    },
    signal: ending.signal,
    now: Date.now,
    fetch,
    openBrowser,
    program: process.argv[1] ?? '',
    version,
  };
}

const sink = (stream: NodeJS.WriteStream): Sink => {
  // Who reads may have seen enough, as `head` has.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return { isTerminal: stream.isTTY, write: (shown) => void stream.write(shown) };
};

async function typedLine(
  question: string,
  isHidden: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_, __, done) => done() });
  const output = isHidden ? nowhere : process.stderr;
  const reading = createInterface({ input: process.stdin, output, terminal: true });
  // Readline takes Ctrl-C for itself.
  reading.once('SIGINT', () => process.emit('SIGINT'));
  // By then nothing is shown of what is typed. In the other case readline draws the question.
  if (isHidden) process.stderr.write(question);
  try {
    const ended = new Promise<undefined>((resolve) => reading.once('close', () => resolve(undefined)));
    return await Promise.race([reading.question(question, { signal }), ended]);
  } finally {
    reading.close();
    if (isHidden) process.stderr.write('\n');
  }
}

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** Where there is no browser, the printed address is all. */
const openBrowser = (url: string): Promise<void> =>
  new Promise((resolve) => {
    const opening = spawn(openers[process.platform] ?? 'xdg-open', [url], {
      stdio: 'ignore',
      detached: true,
    });
    opening.once('error', () => resolve());
    opening.once('spawn', () => {
      opening.unref();
      resolve();
    });
  });
