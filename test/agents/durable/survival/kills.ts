import { readFileSync } from 'node:fs';
import { BEAT_MILLISECONDS } from '../../../../lib/agent-runtime/queue/rules.ts';
import { type ProcessFacts, readProcesses, stillRunning } from '../../../support/programs/processes.ts';
import { until } from '../../../support/until.ts';
import type { DurableMachine } from '../machine.ts';
import { type Kill, linesOf, type StepLine } from './lines.ts';

const seconds = (): number => Date.now() / 1_000;

/** Kills what runs the agents of a machine, each time while a step is in hand. */
export class Killer {
  readonly #machine: DurableMachine;
  readonly #file: string;
  readonly #readyUrl: string;
  readonly #settling: Promise<void>[] = [];
  readonly kills: Kill[] = [];

  /** `readyUrl`: where the agent says whether it reaches PostgreSQL. */
  constructor(machine: DurableMachine, stepsFile: string, readyUrl: string) {
    this.#machine = machine;
    this.#file = stepsFile;
    this.#readyUrl = readyUrl;
  }

  lines = (): StepLine[] => linesOf(readFileSync(this.#file, 'utf8'));

  /** Waits for so many steps to begin, kills what has the last of them in hand, and waits until it is dead. */
  async kill(what: Kill['what'], steps: number): Promise<void> {
    const before = this.lines().length;
    const { victim, dying, pids } = await until(() => this.#victim(what, before + steps), {
      what: () => `a step to kill ${what} in; ${this.lines().length - before} of ${steps} have begun`,
    });
    const kill: Kill = { at: seconds(), until: Infinity, what, pids };
    this.kills.push(kill);
    process.kill(victim, 'SIGKILL');
    await until(() => stillRunning(dying).length === 0, { firstMs: 1, what: `the end of ${what}` });
    if (what === 'postgres') this.#settling.push(this.#settle(kill));
    else kill.until = seconds();
  }

  /** Resolves when all kills have had their effect. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling);
  }

  /** A lease that could not be renewed while PostgreSQL was away is given up, or renewed, by the next beats. */
  async #settle(kill: Kill): Promise<void> {
    const isReady = async () => (await fetch(this.#readyUrl).catch(() => undefined))?.ok;
    await until(isReady, { what: 'PostgreSQL to be there again' });
    kill.until = seconds() + (2 * BEAT_MILLISECONDS) / 1_000;
  }

  /** What to kill, once so many steps have begun; `dying`: what ends with it, which may take a moment. */
  #victim(what: Kill['what'], count: number) {
    const lines = this.lines();
    if (lines.length < count) return undefined;
    const all = readProcesses().filter((one) => this.#isOurs(one));
    const workers = all.filter(({ command }) => command.includes('slipway_worker'));
    const worker = workers.find(({ pid }) => pid === lines.at(-1)?.pid);
    if (worker === undefined) return undefined;
    const postmaster = all.find(({ command }) => command.includes('/postgres -D '));
    if (what === 'postgres')
      return (
        postmaster && {
          victim: postmaster.pid,
          dying: [postmaster, ...readProcesses().filter(({ parentPid }) => parentPid === postmaster.pid)],
          pids: workers.map(({ pid }) => pid),
        }
      );
    const server = all.filter(({ pid }) => what === 'server' && pid === worker.parentPid);
    return { victim: server[0]?.pid ?? worker.pid, dying: [worker, ...server], pids: [worker.pid] };
  }

  #isOurs({ cwd, command }: ProcessFacts): boolean {
    return cwd.startsWith(this.#machine.dataFolder) || command.includes(this.#machine.dataFolder);
  }
}
