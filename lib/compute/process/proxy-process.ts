import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pause } from '../../listener/backoff.ts';
import type { Log } from '../../listener/log.ts';
import { childEnvironment, ownVariables } from '../../processes/environment.ts';
import { describeExit } from '../../processes/run-command.ts';
import type { Listening } from '../../processes/table/listening.ts';
import { ProxiedRoute } from './proxied-route.ts';
import type { ClosedPaths } from './proxy/closed-paths.ts';
import type { NumberedOrder, Order, ServerTarget, Told } from './proxy/messages.ts';
import type { ProxyOptions } from './proxy/proxy.ts';
import { type Counted, ProxyCounts } from './proxy-counts.ts';

const MAIN = fileURLToPath(new URL('proxy/main.ts', import.meta.url));

/** After so long without a crash the next restart is at once again. */
const STEADY_MILLISECONDS = 10_000;
const RESTART_STEP_MILLISECONDS = 50;
const RESTART_MOST_MILLISECONDS = 5000;
/** A minute that is over is told soon, without what has not been told by then. */
const COUNTS_MILLISECONDS = 5000;
/** A process that does not end by itself is ended. */
const END_MILLISECONDS = 5000;

type Parts = {
  options: ProxyOptions;
  /** Variables by which what ends this program's leftovers knows the process. */
  marking: Readonly<Record<string, string>>;
  log: Pick<Log, 'warn'>;
};

type Waiting = { order: Order; resolve: (told: Told) => void };

/** A server that listens there, for a proxy to be led to. */
export const targetAt = (where: Listening, closed: ClosedPaths = 'none'): ServerTarget => ({
  id: randomUUID(),
  where,
  closed,
});

/**
 * The process that passes requests on to agents, as its listener sees it. What listens at the port outlives
 * it: when it ends, requests wait there until the next one knows all routes.
 */
export class ProxyProcess {
  readonly #parts: Parts;
  readonly #routes = new Map<string, ProxiedRoute>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #counts = new ProxyCounts();
  #child: ChildProcess | undefined;
  #number = 0;
  /** What listens. It is handed to each process that is started. */
  #handle: { close(): void } | undefined;
  #isOpen = false;
  #closing: Promise<void> | undefined;
  #isClosed = false;
  #crashes = 0;
  #startedAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The process that serves now. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Listens on the loopback interface; resolves with the port. Requests wait until `open`. */
  async listen(): Promise<number> {
    this.#start();
    const { port, problem } = await this.#order({ kind: 'listen', options: this.#parts.options });
    if (port === undefined) {
      await this.close();
      throw new Error(problem ?? 'The process of the proxy has ended before it listened.');
    }
    return port;
  }

  /** All routes from before are known: from now on what has no route is not served. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await this.#order({ kind: 'open' });
  }

  /** The route of a deployment, made when it is first asked for. */
  route(name: string): ProxiedRoute {
    const known = this.#routes.get(name);
    if (known !== undefined) return known;
    const route: ProxiedRoute = new ProxiedRoute(name, async (state) => {
      // One that was removed must not come back.
      if (this.#routes.get(name) === route) await this.#order({ kind: 'route', route: state });
    });
    this.#routes.set(name, route);
    void this.#order({ kind: 'route', route: route.state });
    return route;
  }

  /** Resolves when nothing is passed on by this route any more. */
  async remove(route: ProxiedRoute): Promise<void> {
    const { name } = route;
    if (this.#routes.get(name) !== route) return;
    this.#routes.delete(name);
    await this.#order({ kind: 'remove', name });
  }

  /** Resolves when no request is under way there, at the latest after so long. True when none was left. */
  async drained({ id: targetId }: ServerTarget, withinMilliseconds: number): Promise<boolean> {
    // If the process has ended, so has what was under way.
    return (await this.#order({ kind: 'drained', targetId, withinMilliseconds })).isDrained ?? true;
  }

  /** Ends the connections to a server that is about to stop, and forgets it. */
  async leave({ id: targetId }: ServerTarget): Promise<void> {
    await this.#order({ kind: 'leave', targetId });
  }

  /**
   * What was counted since it was taken last, up to now; once the proxy closes, up to its end, so that
   * nothing is left.
   */
  async take(): Promise<ReadonlyMap<string, Counted>> {
    await (this.#closing ?? Promise.race([this.#order({ kind: 'counts' }), pause(COUNTS_MILLISECONDS)]));
    return this.#counts.take();
  }

  /** Ends all connections, the process, and what listens, once `before` is over. */
  close(before: Promise<unknown> = Promise.resolve()): Promise<void> {
    this.#closing ??= this.#close(before);
    return this.#closing;
  }

  async #close(before: Promise<unknown>): Promise<void> {
    await before;
    const child = this.#child;
    if (child !== undefined) {
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MILLISECONDS);
      const exited = once(child, 'exit');
      await this.#order({ kind: 'close' });
      await exited;
      clearTimeout(timer);
    }
    this.#isClosed = true;
    this.#child = undefined;
    this.#handle?.close();
    for (const { resolve } of this.#waiting.values()) resolve({});
    this.#waiting.clear();
  }

  #start(): void {
    this.#startedAt = Date.now();
    const child = fork(MAIN, [], {
      cwd: '/',
      env: { ...childEnvironment(ownVariables()), ...this.#parts.marking },
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the process sends nothing else
    child.on('message', (told, handle) => this.#hear(told as Told, handle));
    child.on('error', ({ message }) => {
      // One that could not be started has no exit.
      if (child.pid === undefined)
        this.#onEnd(child, describeExit({ code: null, signal: null, error: message }));
    });
    child.once('exit', (code, signal) => {
      const end = () => this.#onEnd(child, describeExit({ code, signal }));
      // What it said last may be on its way still.
      if (child.connected) child.once('disconnect', end);
      else end();
    });
  }

  /** Resolves when it is carried out, also by the process that comes after one that has ended meanwhile. */
  #order(order: Order, handle?: unknown): Promise<Told> {
    // Nothing is passed on any more, whatever is said of it.
    if (this.#isClosed) return Promise.resolve({});
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      this.#waiting.set(number, { order, resolve });
      if (this.#child === undefined) this.#forgetUnkept();
      else this.#send({ number, order }, handle);
    });
  }

  #send(message: NumberedOrder, handle: unknown): void {
    // One that could not be started takes none; the one after it is told all that there is to know.
    if (this.#child?.connected !== true) return;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a server listens with can be sent as a server can
    this.#child.send(message, handle as undefined, () => undefined);
  }

  #hear({ number, counts, ...told }: Told, handle: unknown): void {
    if (counts !== undefined) this.#counts.add(counts);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node gives what `listen` is answered with
    if (handle !== undefined) this.#handle = handle as { close(): void };
    if (number === undefined) return;
    this.#waiting.get(number)?.resolve(told);
    this.#waiting.delete(number);
  }

  #onEnd(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#counts.endAll();
    this.#forgetUnkept();
    if (this.#closing !== undefined || this.#handle === undefined) return;
    this.#crashes = Date.now() - this.#startedAt > STEADY_MILLISECONDS ? 1 : this.#crashes + 1;
    this.#parts.log.warn(`the process of the proxy ${how}; it is started again`);
    void this.#startAgain();
  }

  /** Answers what only the process that has ended could do; its requests have ended with it. */
  #forgetUnkept(): void {
    for (const [number, { order, resolve }] of this.#waiting) {
      if (['route', 'remove', 'open'].includes(order.kind)) continue;
      this.#waiting.delete(number);
      resolve({});
    }
  }

  async #startAgain(): Promise<void> {
    const doubled = RESTART_STEP_MILLISECONDS * 2 ** (this.#crashes - 1);
    if (this.#crashes > 1) await pause(Math.min(doubled, RESTART_MOST_MILLISECONDS));
    if (this.#closing !== undefined) return;
    this.#start();
    const kept = [...this.#waiting];
    const { options } = this.#parts;
    void this.#order({ kind: 'listen', options }, this.#handle);
    const known = [...this.#routes.values()].map(({ state: route }) => this.#order({ kind: 'route', route }));
    const opened = this.#isOpen ? this.#order({ kind: 'open' }) : undefined;
    await Promise.all([...known, opened]);
    // All that was said to the process before is in what this one was told.
    for (const [number, { resolve }] of kept) {
      this.#waiting.delete(number);
      resolve({});
    }
  }
}
