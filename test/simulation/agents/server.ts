import { EventHub } from '../../../lib/agent-runtime/queue/event-log.ts';
import { Queue } from '../../../lib/agent-runtime/queue/queue.ts';
import type { QueueStore, Server } from '../../../lib/agent-runtime/queue/queue-store.ts';
import type { Build } from './builds.ts';
import type { ModelTables } from './model.ts';
import type { SimulatedPostgres } from './postgres.ts';
import { Process } from './process.ts';
import { SimulatedWorker, type WorkerWorld } from './worker.ts';

const SLOTS = 3;
const RECONNECT_MILLISECONDS = 500;

/** A server of a build: the real queue, with a clock, a worker and tables of the simulation. */
export class SimulatedServer {
  readonly server: Server;
  readonly build: Build;
  readonly process: Process;
  readonly worker: SimulatedWorker;
  readonly queue: Queue;
  readonly #postgres: SimulatedPostgres;
  readonly #onOrphans: (runIds: readonly string[]) => void;
  #isDraining = false;
  isConnected = false;

  constructor(
    world: WorkerWorld,
    server: Server,
    build: Build,
    say: (text: string) => void,
    onOrphans: (runIds: readonly string[]) => void,
  ) {
    this.#onOrphans = onOrphans;
    this.server = server;
    this.build = build;
    this.#postgres = world.postgres;
    this.process = new Process(server.owner, world.time);
    this.worker = new SimulatedWorker(world, build, this.process);
    this.queue = new Queue({
      server,
      store: this.#store(world.postgres.tables),
      worker: this.worker,
      hub: new EventHub(),
      time: { now: () => world.time.now, after: this.process.after },
      slots: SLOTS,
      timeoutSeconds: 3_600,
      say,
    });
  }

  start(): void {
    this.#connect();
    this.queue.start();
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isAlive(): boolean {
    return this.process.isAlive;
  }

  /** A notification of Postgres, which only an open session hears. */
  notify(what: () => void): void {
    if (this.isConnected) this.process.after(1, what);
  }

  /** `kill -9`: its sessions end at once, and its worker soon. */
  kill(): void {
    this.process.kill();
    this.worker.die();
    this.#postgres.tables.locks.delete(this.server.owner);
    this.isConnected = false;
  }

  /** SIGTERM: ends when its runs are back in the queue. */
  async stop(graceMilliseconds: number): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    await this.queue.drain(graceMilliseconds);
    this.kill();
  }

  /** The session that listens, and holds the lock; it ends with Postgres, and comes back. */
  #connect(): void {
    const { tables } = this.#postgres;
    this.process.after(RECONNECT_MILLISECONDS * 0.2, () => {
      if (this.#postgres.isAway) return this.#connect();
      tables.locks.add(this.server.owner);
      tables.servers.set(this.server.owner, { holdsLock: true });
      this.isConnected = true;
      this.queue.wake();
    });
  }

  loseSession(): void {
    this.#postgres.tables.locks.delete(this.server.owner);
    this.noteDisconnected();
  }

  /** Postgres has ended all sessions. */
  noteDisconnected(): void {
    this.isConnected = false;
    this.process.after(RECONNECT_MILLISECONDS, () => this.#connect());
  }

  #store(tables: ModelTables): QueueStore {
    const ask = <T>(run: () => T): Promise<T> => this.#postgres.command(this.process, run);
    return {
      claim: (server, count) =>
        ask(() => {
          const claimed = tables.claim(server, count);
          // What it had sent before it died or stood still was done all the same.
          if (!this.process.isAlive || this.process.isFrozen)
            this.#onOrphans(claimed.map(({ runId }) => runId));
          return claimed;
        }),
      nextDue: (buildId) => ask(() => tables.nextDue(buildId)),
      beat: (server, inHand) => ask(() => tables.beat(server, inHand)),
      putBackUnknown: (server, known) => ask(() => tables.putBackUnknown(server, known)),
      takeOver: (server) => ask(() => tables.takeOver(server)),
      handBack: (lease, failure) => ask(() => tables.handBack(lease, failure)),
      finish: (lease, outcome) => ask(() => tables.finish(lease, outcome)),
      remove: (lease) => ask(() => tables.remove(lease)),
      noteStep: (lease) => ask(() => tables.noteStep(lease)),
      append: (lease, events) => ask(() => tables.append(lease, events)),
    };
  }
}
