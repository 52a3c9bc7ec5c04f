import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { messageOf, pause } from '../../listener/backoff.ts';
import type { DeployHooks, DeployResult } from '../../listener/driver.ts';
import type { DeploymentContext } from './deployment-context.ts';
import type { ProxiedRoute } from './proxied-route.ts';
import { describeServerExit } from './readiness.ts';
import { checkBeforeSwitch } from './release-check.ts';
import { RESTART_BASE_MILLISECONDS, restartWait, SOUND_MILLISECONDS } from './restart-wait.ts';
import type { Server } from './server.ts';

/**
 * Requests wait so long while one server takes over another's state: draining, saving and a slow start
 * together.
 */
const HAND_OVER_MILLISECONDS = 120_000;

const ALONE = { beside: false, isNew: false };

type Background = { abort: AbortController; revisionId: string };

/** One deployment on this machine: the server that serves it, kept alive, and the switch to the next one. */
export class ProcessDeployment {
  readonly id: string;
  epoch: number;
  readonly #context: DeploymentContext;
  readonly #life = new AbortController();
  #spec: DeploySpec | undefined;
  #server: Server | undefined;
  /** Servers that no longer serve but may still have requests to finish. */
  readonly #retiring = new Set<Server>();
  /** Those of them that stay until the success of what took their place is reported. */
  readonly #untilReported = new Set<Server>();
  #background: Background | undefined;
  /** Background work that has not ended yet, the cancelled too. */
  readonly #work = new Set<Promise<void>>();
  #crashes = 0;
  #problem: string | undefined = 'it is being started';

  constructor(id: string, epoch: number, context: DeploymentContext) {
    this.id = id;
    this.epoch = epoch;
    this.#context = context;
  }

  get url(): string {
    return this.#context.url;
  }

  get route(): ProxiedRoute {
    return this.#context.route;
  }

  /** The revision that shall serve: the one on its way up in the background, else the one that serves. */
  get wantedRevisionId(): string | undefined {
    return this.#background?.revisionId ?? this.revisionId;
  }

  /** The revision that serves or is being kept running. */
  get revisionId(): string | undefined {
    return this.#server?.revisionId ?? this.#spec?.revision_id;
  }

  /** Why nothing serves; undefined while a server does. */
  get problem(): string | undefined {
    return this.#server === undefined ? this.#problem : undefined;
  }

  async deploy(spec: DeploySpec, hooks: DeployHooks): Promise<DeployResult> {
    const signal = AbortSignal.any([hooks.signal, this.#life.signal]);
    try {
      const how = { beside: this.#server !== undefined, isNew: true };
      const { server, timing } = await this.#context.bringUp(spec, signal, hooks.say, how);
      return await this.#switchTo(spec, server, timing, { ...hooks, signal });
    } catch (error) {
      if (signal.aborted) return { outcome: 'stopped' };
      return { outcome: 'failed', message: messageOf(error), previousServing: this.#server !== undefined };
    }
  }

  /** Brings this spec up in the background, as often as it takes; what serves now serves until then. */
  keepRunning(spec: DeploySpec): void {
    this.#cancelBackground();
    this.epoch = Math.max(this.epoch, spec.epoch);
    this.#startBackground(spec, 0);
  }

  /** A success is reported: what served before may go. */
  async retirePrevious(): Promise<void> {
    const servers = [...this.#untilReported];
    this.#untilReported.clear();
    await Promise.all(servers.map((server) => this.#retire(server)));
  }

  /** Stops everything; the object is of no use afterwards. */
  async stop(): Promise<void> {
    this.#life.abort();
    this.#cancelBackground();
    await Promise.all(this.#work);
    const servers = [...this.#retiring, ...(this.#server === undefined ? [] : [this.#server])];
    this.#server = undefined;
    await Promise.all(servers.map((server) => this.#context.stopNow(server)));
  }

  async #switchTo(
    spec: DeploySpec,
    server: Server,
    timing: string,
    hooks: DeployHooks,
  ): Promise<DeployResult> {
    const remark = await this.#checkRelease(spec, server, hooks);
    if (!(await this.#mayServe(server, hooks))) return { outcome: 'stopped' };
    const begin = performance.now();
    this.#cancelBackground();
    const previous = await this.#takeOver(spec, server, hooks);
    hooks.say(`Traffic moved to port ${this.#server?.target.where.port}.${this.#context.ownHostNote}`);
    hooks.say(`timing: ${timing} switch_ms=${Math.round(performance.now() - begin)}`);
    if (previous !== undefined) this.#untilReported.add(previous);
    return { outcome: 'succeeded', url: this.url, ...(remark !== undefined && { remark }) };
  }

  /** What a person should know of threads that wait. When they forbid the switch, it throws; the server is stopped. */
  async #checkRelease(spec: DeploySpec, server: Server, hooks: DeployHooks): Promise<string | undefined> {
    const before = { server: this.#server, isDown: this.#spec !== undefined && this.#server === undefined };
    return checkBeforeSwitch(before, server, spec, hooks).catch(async (error: unknown) => {
      await this.#context.stopNow(server);
      throw error;
    });
  }

  /**
   * Announces that traffic moves to the server. Throws when it cannot; in that case, as when it must not, the
   * server is stopped.
   */
  async #mayServe(server: Server, hooks: DeployHooks): Promise<boolean> {
    let may = false;
    try {
      const goesOn = !hooks.signal.aborted && (await hooks.announceSwitch()) && !this.#life.signal.aborted;
      const { exit } = server.group;
      if (goesOn && exit !== undefined) {
        await server.group.exited;
        throw new Error(server.tail.after(`The server ${describeServerExit(exit)} just after it was ready.`));
      }
      may = goesOn;
    } finally {
      if (!may) await this.#context.stopNow(server);
    }
    return may;
  }

  /** Makes the server the one that serves, and gives the one before it. */
  async #takeOver(
    spec: DeploySpec,
    server: Server,
    hooks: Pick<DeployHooks, 'say' | 'signal'>,
  ): Promise<Server | undefined> {
    if (!server.isTrial) return this.#install(spec, server);
    await this.#context.stopNow(server);
    const before = { server: this.#server, spec: this.#spec };
    if (before.server !== undefined) await this.#release(before.server, spec, hooks);
    try {
      const again = await this.#context.bringUp(spec, hooks.signal, hooks.say, ALONE);
      await this.#install(spec, again.server);
    } catch (error) {
      await this.#bringBack(before.spec, hooks);
      throw error;
    }
    return before.server;
  }

  /** From here on requests wait until `#install`. What they wait for is not a problem to report. */
  async #release(server: Server, next: DeploySpec, { say }: Pick<DeployHooks, 'say'>): Promise<void> {
    say('Requests wait while those under way finish and the server before saves its state.');
    this.#retiring.add(server);
    this.#server = undefined;
    await this.#context.route.hold(HAND_OVER_MILLISECONDS);
    await this.#context.settle(server, next, say);
    this.#retiring.delete(server);
  }

  /** The version before serves again with its state; if that fails too it is tried until it does. */
  async #bringBack(spec: DeploySpec | undefined, { say }: Pick<DeployHooks, 'say'>): Promise<void> {
    if (spec === undefined || this.#life.signal.aborted) return;
    say('The new version did not start with the state of the one before, which is started again.', 'WARNING');
    try {
      const back = await this.#context.bringUp(spec, this.#life.signal, say, ALONE);
      await this.#install(spec, back.server);
    } catch (error) {
      if (this.#life.signal.aborted) return;
      this.#setProblem(messageOf(error).split('\n', 1)[0] ?? '');
      this.#startBackground(spec, RESTART_BASE_MILLISECONDS);
    }
  }

  async #retire(server: Server | undefined): Promise<void> {
    if (server === undefined) return;
    await this.#context.retire(server, this.#spec);
    this.#retiring.delete(server);
  }

  /** Makes the server the one that serves; once it gets the requests, gives the one before it. */
  async #install(spec: DeploySpec, server: Server): Promise<Server | undefined> {
    const previous = this.#server;
    if (previous !== undefined) this.#retiring.add(previous);
    this.#spec = spec;
    this.#server = server;
    this.#problem = undefined;
    this.epoch = Math.max(this.epoch, spec.epoch);
    const moved = this.#context.route.moveTo(server.target);
    void server.group.exited.then(() => this.#onExit(server));
    this.#context.changed(this);
    await moved;
    return previous;
  }

  #onExit(server: Server): void {
    // Another one serves, or we are stopping it ourselves.
    if (this.#server !== server || this.#life.signal.aborted || this.#spec === undefined) return;
    const { exit } = server.group;
    const reason = `the server ${exit === undefined ? 'ended' : describeServerExit(exit)}`;
    this.#server = undefined;
    this.#context.restarted(server.revisionId, server);
    this.#setProblem(reason);
    this.#crashes = Date.now() - server.readyAt >= SOUND_MILLISECONDS ? 0 : this.#crashes + 1;
    const wait = this.#crashes <= 1 ? RESTART_BASE_MILLISECONDS : restartWait(this.#crashes);
    const seconds = (wait / 1000).toFixed(1);
    this.#context.logLine(
      server.revisionId,
      'ERROR',
      `${capital(reason)}; it is started again in ${seconds} s.`,
    );
    void this.#context.stopNow(server);
    // A newer revision may already be on its way up; it then takes this one's place.
    if (this.#background === undefined) this.#startBackground(this.#spec, wait);
  }

  #setProblem(reason: string): void {
    this.#problem = reason;
    void this.#context.route.clear(reason);
    this.#context.changed(this);
  }

  #startBackground(spec: DeploySpec, waitMilliseconds: number): void {
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.#life.signal]);
    if (this.#server === undefined) this.#spec = spec;
    const background = { abort, revisionId: spec.revision_id };
    this.#background = background;
    const work = this.#bringUpForSure(spec, waitMilliseconds, signal).finally(() => {
      this.#work.delete(work);
      if (this.#background === background) this.#background = undefined;
    });
    this.#work.add(work);
  }

  #cancelBackground(): void {
    this.#background?.abort.abort();
    this.#background = undefined;
  }

  async #bringUpForSure(spec: DeploySpec, waitMilliseconds: number, signal: AbortSignal): Promise<void> {
    const say = (message: string) => this.#context.logLine(spec.revision_id, 'INFO', message);
    let wait = waitMilliseconds;
    while (!signal.aborted) {
      await pause(wait, signal);
      try {
        const how = { beside: this.#server !== undefined, isNew: false };
        const { server } = await this.#context.bringUp(spec, signal, say, how);
        if (signal.aborted) return await this.#context.stopNow(server);
        return void this.#retire(await this.#takeOver(spec, server, { say, signal }));
      } catch (error) {
        if (signal.aborted) return;
        this.#crashes += 1;
        wait = restartWait(this.#crashes);
        const message = messageOf(error);
        this.#context.restarted(spec.revision_id, undefined);
        this.#context.logLine(spec.revision_id, 'ERROR', message);
        if (this.#server === undefined) this.#setProblem(message.split('\n', 1)[0] ?? message);
      }
    }
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
