import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createMask, type Mask } from '../../contract/mask.ts';
import type { GroupExit } from '../../processes/group.ts';

/** As much of the end of a program's output as is kept to find a reason in. */
const KEPT_CHARACTERS = 256 * 1024;

export type Ran = GroupExit & { output: string };

export type Command = {
  env: Record<string, string>;
  cwd?: string;
  /** Written to its standard input. */
  input?: string;
  /**
   * `shown`: what it prints is in the build's log. `read`: its output is the result, and not shown. `hidden`:
   * neither.
   */
  output?: 'shown' | 'read' | 'hidden';
  /** Replaced by `***` wherever the program prints them. */
  masked?: readonly string[];
};

/**
 * The environment of every program but those that need the role of the machine: nothing of this one's
 * configuration or credentials.
 */
export const bareEnvironment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  LANG: 'C.UTF-8',
});

/**
 * The environment of this process: on the machine that has its role's credentials, inside an image build it
 * is the image's.
 */
export const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value]));

/** Runs a program to its end. Never throws. */
export async function run(program: string, args: readonly string[], command: Command): Promise<Ran> {
  const { env, cwd, input, output = 'shown', masked = [] } = command;
  const child = spawn(program, args, {
    env,
    cwd,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let kept = '';
  const take = (from: 'stdout' | 'stderr') => (text: string) => {
    if (output === 'shown') process.stdout.write(text);
    // Warnings of a program whose output is the result are for the log.
    else if (output === 'read' && from === 'stderr') process.stdout.write(text);
    if (output === 'shown' || from === 'stdout') kept = (kept + text).slice(-KEPT_CHARACTERS);
  };
  const mask = masked.length === 0 ? undefined : createMask(masked);
  takeFrom(child.stdout, mask, take('stdout'));
  takeFrom(child.stderr, mask, take('stderr'));
  child.stdin?.on('error', () => undefined).end(input);
  return { ...(await endOf(child, program)), output: kept };
}

/** Passes on what comes. With something to mask, whole lines only: a value may come in two pieces. */
function takeFrom(from: Readable | null, mask: Mask | undefined, take: (text: string) => void): void {
  let held = '';
  const pass = (text: string): void => {
    if (text !== '') take(mask?.(text) ?? text);
  };
  from?.setEncoding('utf8').on('data', (chunk: unknown) => {
    held += String(chunk);
    const end = mask === undefined ? held.length : held.lastIndexOf('\n') + 1;
    pass(held.slice(0, end));
    held = held.slice(end);
  });
  from?.on('end', () => pass(held));
}

async function endOf(child: ChildProcess, program: string): Promise<GroupExit> {
  try {
    await once(child, 'close');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${program}: ${reason}\n`);
    return { code: null, signal: null, error: reason };
  }
  return { code: child.exitCode, signal: child.signalCode };
}

/** The last line of an output that matches. */
export const lastLine = (output: string, pattern: RegExp): string | undefined =>
  output.split('\n').findLast((line) => pattern.test(line));
