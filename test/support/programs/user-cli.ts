import { commands } from '../../../lib/cli/commands/table.ts';
import { runCommandLine } from '../../../lib/cli/shell/main.ts';
import type { World } from '../../../lib/cli/shell/world.ts';
import { RELEASE_VERSION } from '../../../lib/contract/version.ts';

export type Ran = { exit: number; stdout: string; stderr: string };

/** Where a command line runs: on nobody's machine unless it is said. */
export type At = Partial<Omit<World, 'stdin' | 'stdout' | 'stderr'>> & {
  /** Whether a person sits there; `answers` are what they type. */
  terminal?: boolean;
  answers?: readonly string[];
  /** What comes from stdin without a terminal. */
  input?: string;
  /** Hears each piece that is written. */
  onWrite?: (text: string) => void;
};

const noFetch: typeof fetch = async () => {
  throw new Error('no request is made here');
};

/** Runs a command line for users in this process. */
export async function slipway(
  { terminal = false, answers = [], input = '', onWrite, ...more }: At,
  args: readonly string[],
): Promise<Ran> {
  const left = [...answers];
  const [out, err]: [string[], string[]] = [[], []];
  const sink = (to: string[]) => ({
    isTerminal: terminal,
    write: (text: string) => {
      to.push(text);
      onWrite?.(text);
    },
  });
  const exit = await runCommandLine(commands, args, {
    environment: {},
    platform: 'linux',
    cwd: '/nowhere',
    home: '/nowhere',
    host: 'laptop',
    userId: process.getuid?.(),
    stdout: sink(out),
    stderr: sink(err),
    stdin: {
      isTerminal: terminal,
      text: async () => input,
      line: async (question) => {
        err.push(question, '\n');
        return left.shift();
      },
    },
    signal: new AbortController().signal,
    now: Date.now,
    fetch: noFetch,
    openBrowser: async () => undefined,
    program: '/nowhere/slipway.mjs',
    version: RELEASE_VERSION,
    ...more,
  });
  return { exit, stdout: out.join(''), stderr: err.join('') };
}

/** What a terminal shows in the end: without what was written over. */
export const screenOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split('\r\u001b[2K').at(-1) ?? '')
    .join('\n');
