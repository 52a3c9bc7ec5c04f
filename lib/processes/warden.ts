import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ownVariables } from './environment.ts';
import type { GroupRecord } from './table/read.ts';

/**
 * What a warden guards: everything whose marker contains the supervisor's id, and these groups, each by its
 * first process and when that started.
 */
export type Guarded = {
  supervisor: string;
  groups: [pid: number | undefined, startTime: string | undefined][];
};

/** A warden that dies at once (no memory, say) is not started again in a tight loop. */
const RESTART_MILLISECONDS = 200;

const fileBeside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Starts and keeps one warden (see warden.sh). All groups of one supervisor carry its id in their marker, and
 * the warden knows that id, and the groups of one that it replaces, from its start on: there is no moment at
 * which something we started is out of its sight.
 */
export class Warden {
  readonly #supervisorId: string;
  readonly #groups = new Map<string, GroupRecord>();
  #child: ChildProcess;
  #closed = false;

  constructor(supervisorId: string) {
    this.#supervisorId = supervisorId;
    this.#child = this.#spawn();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  add(group: GroupRecord): void {
    this.#groups.set(group.marker, group);
    this.#tellAll();
  }

  remove(marker: string): void {
    this.#groups.delete(marker);
    this.#tellAll();
  }

  /** Dismisses the warden. Groups that are still registered live on: stop them first. */
  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const exited = once(child, 'exit');
    child.ref();
    child.stdin?.end('goodbye\n');
    await exited;
  }

  #tellAll(): void {
    this.#child.stdin?.write(`${this.#all()}\n`);
  }

  #all(): string {
    const groups = [...this.#groups.values()].map(({ pid, startTime }): Guarded['groups'][number] => [
      pid,
      startTime,
    ]);
    return JSON.stringify({ supervisor: this.#supervisorId, groups } satisfies Guarded);
  }

  #spawn(): ChildProcess {
    // Its environment carries no marker: whoever ends our own group must not end the warden before its work.
    const args = [fileBeside('./warden.sh'), process.execPath, fileBeside('./warden-main.ts'), this.#all()];
    const child = spawn('/bin/sh', args, {
      detached: true,
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', ...ownVariables() },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', () => this.#replace());
    child.on('exit', () => this.#replace());
    child.stdin?.on('error', () => undefined);
    child.unref();
    // A pipe is a socket here; the type knows only the stream.
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  }

  #lastStart = 0;

  #replace(): void {
    if (this.#closed) return;
    const wait = Math.max(0, this.#lastStart + RESTART_MILLISECONDS - Date.now());
    const start = () => {
      if (this.#closed) return;
      this.#lastStart = Date.now();
      this.#child = this.#spawn();
    };
    if (wait === 0) start();
    else setTimeout(start, wait).unref();
  }
}
