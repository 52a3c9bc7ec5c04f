import type { RunInHand } from '../../../lib/agent-runtime/queue/port.ts';
import { Random } from '../random.ts';
import type { Result } from '../simulation.ts';
import { VirtualTime } from '../virtual-time.ts';
import { type Build, Checkpoints, firstBuild, nextBuild } from './builds.ts';
import { CheckedTables } from './checks.ts';
import { Client } from './clients.ts';
import { type Plan, planOf } from './plan.ts';
import { SimulatedPostgres } from './postgres.ts';
import type { Process } from './process.ts';
import { SimulatedServer } from './server.ts';

export type QueueSimulationOptions = { readonly traces?: boolean; readonly without?: ReadonlySet<string> };

const SECOND = 1_000;
/** Everything ends within so long after the last fault. */
const AT_REST_WITHIN = 1_800 * SECOND;
const GRACE = 8 * SECOND;
/** A server of a build that does not serve ends when nothing was wanted of it for so long. */
const IDLE = 10 * SECOND;

/** One run of the queue of agents: servers, workers, Postgres, clients and deploys, all from its seed. */
export class QueueSimulation {
  readonly #seed: number;
  readonly #random: Random;
  readonly #time = new VirtualTime();
  readonly #plan: Plan;
  readonly #checkpoints = new Checkpoints();
  readonly #builds = new Map<string, Build>();
  readonly #tables: CheckedTables;
  readonly #postgres: SimulatedPostgres;
  readonly #servers: SimulatedServer[] = [];
  readonly #wantedAt = new Map<SimulatedServer, number>();
  readonly #without: ReadonlySet<string>;
  readonly #trace: string[] = [];
  readonly #traces: boolean;
  readonly #counts: Record<string, number> = {};
  #serving: SimulatedServer | undefined;
  #newest: Build;
  #violation: string | undefined;
  #owners = 0;
  #isCalm = false;

  constructor(seed: number, { traces = false, without = new Set() }: QueueSimulationOptions = {}) {
    this.#seed = seed;
    this.#traces = traces;
    this.#without = without;
    this.#random = new Random(seed);
    this.#plan = planOf(this.#random);
    this.#newest = this.#known(firstBuild(this.#random));
    this.#tables = new CheckedTables(
      this.#checkpoints,
      this.#builds,
      () => this.#time.now,
      without,
      (what) => {
        this.#violation ??= what;
      },
    );
    this.#tables.say = (text) => this.#say(text);
    const profile = this.#plan.isFlaky ? { stall: 0.02, loss: 0.02 } : { stall: 0, loss: 0 };
    this.#postgres = new SimulatedPostgres(this.#tables, this.#time, this.#random, profile);
    this.#postgres.onTrouble = (process) => this.#troubled(process);
  }

  async run(): Promise<Result> {
    this.#serve(this.#newest);
    const { milliseconds, threads, cancels, isDeadly } = this.#plan;
    for (let n = 1; n <= threads; n++)
      void new Client(this.#clientWorld(), `thread-${n}`, { cancels, isDeadly }).act(
        this.#time.now + milliseconds,
      );
    this.#incidents();
    this.#listen();
    this.#time.after(milliseconds, () => {
      this.#isCalm = true;
      this.#postgres.isFaulty = false;
    });
    await this.#time.run(() => this.#isOver());
    for (const server of this.#servers) server.queue.stop();
    return {
      seed: this.#seed,
      violation: this.#violation,
      events: this.#time.events,
      operations: this.#postgres.operations,
      seconds: this.#time.seconds,
      endings: this.#tables.endings,
      counts: this.#counts,
      trace: this.#trace,
    };
  }

  #known(build: Build): Build {
    this.#builds.set(build.id, build);
    return build;
  }

  #say(text: () => string): void {
    if (this.#traces) this.#trace.push(`${this.#time.seconds.toFixed(3).padStart(10)}  ${text()}`);
  }

  #clientWorld() {
    return {
      time: this.#time,
      random: this.#random,
      postgres: this.#postgres,
      tables: this.#tables,
      checkpoints: this.#checkpoints,
      serving: () => (this.#serving?.isAlive === true ? this.#serving : undefined),
      notify: () => {
        for (const server of this.#servers) server.notify(() => server.queue.wake());
      },
      cancelled: (runId: string) => {
        this.#say(() => `cancel ${runId}`);
        for (const server of this.#servers) server.notify(() => server.queue.cancel(runId));
      },
    };
  }

  #start(build: Build): SimulatedServer {
    this.#owners += 1;
    const owner = `server-${this.#owners}`;
    const world = {
      time: this.#time,
      random: this.#random,
      postgres: this.#postgres,
      checkpoints: this.#checkpoints,
      without: this.#without,
      onStep: this.#onStep,
      isDeadly: (run: RunInHand, at: number) => at === 1 && run.kwargs.includes('deadly'),
    };
    const identity = { owner, buildId: build.id, revisionId: `revision of ${build.id}` };
    const server = new SimulatedServer(
      world,
      identity,
      build,
      (text) => this.#say(() => `${owner}: ${text}`),
      (runIds) => {
        this.#tables.hits.add(runIds);
        this.#tables.deaths.add(runIds);
      },
    );
    this.#say(
      () => `${owner} starts for ${build.id} (${build.nodes.join(' ')}, asks at ${build.asksAt ?? '-'})`,
    );
    server.worker.onDeadlyStep = () => this.#killWorker(server);
    this.#servers.push(server);
    this.#wantedAt.set(server, this.#time.now);
    server.start();
    return server;
  }

  readonly #onStep = (...[run, at]: Parameters<CheckedTables['onStep']>): void => {
    this.#say(() => `${run.owner} begins step ${at} of ${run.runId}, attempt ${run.attempt}`);
    this.#tables.onStep(run, at);
  };

  /** A release: the new server comes first, and the old one ends in order. */
  #serve(build: Build): void {
    const before = this.#serving;
    this.#newest = build;
    this.#serving = this.#start(build);
    // In every fourth run a release takes along what waits in the builds before it.
    if (this.#seed % 4 === 0) this.#tables.releaseThreads(this.#serving.server);
    if (before !== undefined) this.#stop(before);
  }

  #stop(server: SimulatedServer): void {
    if (!server.isAlive || server.isDraining) return;
    this.#say(() => `${server.server.owner} is stopped`);
    this.#time.after(GRACE, () => {
      if (server.isAlive) this.#tables.hits.add(this.#runsOf(server));
    });
    void server.stop(GRACE);
  }

  /** The runs that a server or its worker has in hand. */
  #runsOf(server: SimulatedServer): Set<string> {
    const owned = [...this.#tables.runs.values()].filter(({ owner }) => owner === server.server.owner);
    return new Set([...owned, ...server.worker.runs].map(({ runId }) => runId));
  }

  #hit(server: SimulatedServer, count: number): void {
    this.#tables.hits.add(this.#runsOf(server), count);
    this.#tables.deaths.add(this.#runsOf(server), count);
  }

  #troubled(process: Process): void {
    for (const server of this.#servers)
      if (server.process === process || process.name.endsWith(` of ${server.process.name}`)) {
        this.#tables.hits.add(this.#runsOf(server), 2);
      }
  }

  #incidents(): void {
    const { deploys, serverKills, workerKills, freezes, outages, sessions, milliseconds } = this.#plan;
    const at = (count: number, what: string, run: () => void): void => {
      for (let n = 0; n < count; n++)
        this.#time.after(this.#random.between(0, milliseconds), () => {
          this.#counts[what] = (this.#counts[what] ?? 0) + 1;
          this.#say(() => what);
          run();
        });
    };
    at(deploys, 'deploy', () => {
      const isRedeploy = this.#random.chance(0.2);
      this.#serve(
        isRedeploy ? this.#newest : this.#known(nextBuild(this.#random, this.#newest, this.#builds.size + 1)),
      );
    });
    at(serverKills, 'server killed', () => this.#onOne((server) => this.#kill(server)));
    at(workerKills, 'worker killed', () => this.#onOne((server) => this.#killWorker(server)));
    at(freezes, 'server frozen', () => this.#onOne((server) => this.#freeze(server)));
    at(outages, 'outage', () => this.#outage());
    at(sessions, 'session lost', () => this.#onOne((server) => server.loseSession()));
  }

  #onOne(run: (server: SimulatedServer) => void): void {
    const server = this.#random.pick(this.#servers.filter(({ isAlive }) => isAlive));
    if (server !== undefined) run(server);
  }

  #killWorker(server: SimulatedServer): void {
    this.#hit(server, 1);
    server.worker.kill();
  }

  #kill(server: SimulatedServer): void {
    this.#hit(server, 1);
    server.kill();
    if (server === this.#serving)
      this.#time.after(this.#random.between(300, 3_000), () => {
        if (this.#serving === server) this.#serving = this.#start(server.build);
      });
  }

  /**
   * Stands still, with its worker or without. Whoever finds that out late does a step that another does too.
   */
  #freeze(server: SimulatedServer): void {
    const milliseconds = this.#random.between(1, 25) * SECOND;
    this.#hit(server, 2);
    server.process.freeze(milliseconds);
    if (this.#random.chance(0.6)) server.worker.freeze(milliseconds);
  }

  #outage(): void {
    const running = [...this.#tables.runs.values()].filter(({ status }) => status === 'running');
    this.#tables.hits.add(
      running.map(({ runId }) => runId),
      2,
    );
    this.#postgres.restart(this.#random.between(0.3, 20) * SECOND);
    for (const server of this.#servers) server.noteDisconnected();
  }

  /**
   * The listener of the control plane: starts a server for what is wanted, and ends those of which nothing
   * is.
   */
  #listen(): void {
    this.#time.after(2 * SECOND, () => {
      this.#listen();
      const now = this.#time.now;
      const wanted = new Set(
        [...this.#tables.runs.values()]
          .filter(
            ({ status, ready, notBefore }) =>
              status === 'running' || (status === 'pending' && ready && notBefore <= now),
          )
          .map(({ buildId }) => buildId),
      );
      const live = this.#servers.filter((server) => server.isAlive && !server.isDraining);
      for (const server of live) {
        if (wanted.has(server.build.id)) this.#wantedAt.set(server, now);
        else if (server !== this.#serving && now - (this.#wantedAt.get(server) ?? 0) > IDLE)
          this.#stop(server);
      }
      for (const buildId of wanted) {
        const build = this.#builds.get(buildId);
        const isServed =
          live.some((server) => server.build.id === buildId) || this.#serving?.build.id === buildId;
        if (build !== undefined && !isServed) this.#start(build);
      }
    });
  }

  #isOver(): boolean {
    if (this.#violation !== undefined) return true;
    if (!this.#isCalm) return false;
    const { unfinished } = this.#tables;
    if (unfinished.length === 0) {
      this.#tables.atRest();
      return true;
    }
    if (this.#time.now - this.#time.beganAt - this.#plan.milliseconds > AT_REST_WITHIN)
      this.#violation = `not at rest: ${unfinished.join('; ')}`;
    return this.#violation !== undefined;
  }
}
