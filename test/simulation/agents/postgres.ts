import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { ModelTables } from './model.ts';
import type { Process } from './process.ts';

/** How often what goes wrong between a process and Postgres. */
export type PostgresProfile = {
  /** Of a command to take long. */
  readonly stall: number;
  /** Of an answer to be lost, though the command was done. */
  readonly loss: number;
};

const STALL_MILLISECONDS = 2_000;

/** The one Postgres: commands take a while, and it may be away. */
export class SimulatedPostgres {
  readonly tables: ModelTables;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #profile: PostgresProfile;
  #awayUntil = 0;
  /** Faults of single commands happen only while this is set. */
  isFaulty = true;
  /** Hears of a command that has failed, or has taken long, for a process. */
  onTrouble: (process: Process) => void = () => undefined;
  operations = 0;

  constructor(tables: ModelTables, time: VirtualTime, random: Random, profile: PostgresProfile) {
    this.tables = tables;
    this.#time = time;
    this.#random = random;
    this.#profile = profile;
  }

  get isAway(): boolean {
    return this.#time.now < this.#awayUntil;
  }

  /** Dies, and is there again after a time: all sessions end, what is committed stays. */
  restart(milliseconds: number): void {
    this.#awayUntil = this.#time.now + milliseconds;
    this.tables.locks.clear();
    this.#time.after(milliseconds, () => {
      this.tables.postgresStartedAt = this.#time.now;
    });
  }

  /** Runs one transaction for a process, which hears of it later, or not at all. */
  command<T>(process: Process, run: () => T): Promise<T> {
    const chance = (probability: number): boolean => this.#random.next() < probability && this.isFaulty;
    const stalls = chance(this.#profile.stall);
    const loses = chance(this.#profile.loss);
    const there = stalls ? this.#random.between(200, STALL_MILLISECONDS) : this.#random.between(0.2, 4);
    const back = this.#random.between(0.2, 4);
    if (stalls || loses) this.onTrouble(process);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const fail = (): void => {
      this.onTrouble(process);
      process.after(back, () => reject(new Error('connection to Postgres lost')));
    };
    // What has been sent is done, whatever becomes of its sender.
    this.#time.after(there, () => {
      if (this.isAway) return fail();
      this.operations += 1;
      const answer = run();
      if (loses) fail();
      else process.after(back, () => resolve(answer));
    });
    return promise;
  }
}
