import type { CancelAction, MultitaskStrategy } from '../../../lib/agent-runtime/tables/rows.ts';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Checkpoints } from './builds.ts';
import type { CheckedTables } from './checks.ts';
import type { ModelThread } from './model-rows.ts';
import type { SimulatedPostgres } from './postgres.ts';
import { Process } from './process.ts';
import type { SimulatedServer } from './server.ts';

const INPUT = '{"input":{"n":1},"command":null}';
const DEADLY = '{"input":{"n":"deadly"},"command":null}';
const ANSWER = '{"input":null,"command":{"resume":1}}';
const GO_ON = '{"input":null,"command":null}';
const goOnFrom = (id: number): string =>
  `{"input":null,"command":null,"config":{"configurable":{"checkpoint_id":"${id}"}}}`;

export type ClientWorld = {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly postgres: SimulatedPostgres;
  readonly tables: CheckedTables;
  readonly checkpoints: Checkpoints;
  /** The server that takes requests; undefined while there is none. */
  serving(): SimulatedServer | undefined;
  /** Something was written that others hear of. */
  notify(): void;
  cancelled(runId: string): void;
};

/** A person with a thread: sends inputs, answers questions, cancels, and goes on after an error. */
export class Client {
  readonly #world: ClientWorld;
  readonly #threadId: string;
  readonly #cancels: boolean;
  readonly #isDeadly: boolean;
  #runs = 0;

  constructor(world: ClientWorld, threadId: string, does: { cancels: boolean; isDeadly: boolean }) {
    this.#world = world;
    this.#threadId = threadId;
    this.#cancels = does.cancels;
    this.#isDeadly = does.isDeadly;
  }

  async act(until: number): Promise<void> {
    const { time, random } = this.#world;
    while (time.now < until) {
      await time.wait(random.between(200, 9_000));
      await this.#request().catch(() => undefined);
    }
  }

  async #request(): Promise<void> {
    const { random, tables, notify } = this.#world;
    const server = this.#world.serving();
    if (server === undefined) return;
    const thread = tables.threads.get(this.#threadId);
    const live = tables.liveOf(this.#threadId);
    const victim = random.pick(live);
    if (this.#cancels && victim !== undefined && random.chance(0.3)) {
      const action: CancelAction = random.chance(0.5) ? 'interrupt' : 'rollback';
      await this.#ask(() => tables.cancelRun(victim.runId, action));
      this.#world.cancelled(victim.runId);
    } else {
      this.#runs += 1;
      const run = {
        runId: `${this.#threadId}-run-${String(this.#runs).padStart(3, '0')}`,
        threadId: this.#threadId,
        kwargs: this.#kwargs(thread),
        multitaskStrategy: this.#strategy(),
        afterMilliseconds: random.chance(0.1) ? random.between(0, 8_000) : 0,
      };
      await this.#ask(() => tables.createRun(server.server, run));
    }
    notify();
  }

  #ask<T>(run: () => T): Promise<T> {
    return this.#world.postgres.command(new Process('a client', this.#world.time), run);
  }

  #kwargs(thread: ModelThread | undefined): string {
    const { random } = this.#world;
    const older = random.chance(0.1) ? random.pick(this.#world.checkpoints.ids(this.#threadId)) : undefined;
    if (older !== undefined) return goOnFrom(older);
    if (thread?.waits === true && random.chance(0.8)) return ANSWER;
    if (thread !== undefined && thread.next.length > 0 && random.chance(0.5)) return GO_ON;
    return this.#isDeadly && random.chance(0.15) ? DEADLY : INPUT;
  }

  #strategy(): MultitaskStrategy {
    const { random } = this.#world;
    if (!this.#cancels || random.chance(0.7)) return random.chance(0.2) ? 'reject' : 'enqueue';
    return random.pick(['interrupt', 'rollback'] as const);
  }
}
