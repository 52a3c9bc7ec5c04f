import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How often what goes wrong; each seed has its own. Probabilities are of one call, start or record. */
export type Profile = {
  /** Of a call to take seconds instead of milliseconds. */
  stall: number;
  /** Of a function to die at one of its calls. */
  crash: number;
  /** Of a port to be too busy. */
  throttle: number;
  /** Of a record of the stream to be delivered to two consumers at once. */
  duplicate: number;
  /** Of a record or an event to be lost for good. */
  loss: number;
  /** Of an item to be late in the index. */
  indexLag: number;
  sweepSeconds: number;
};

/** Everything that one of the services is asked for. */
export type Port = 'table' | 'logs' | 'builds' | 'workflow' | 'git' | 'blobs' | 'images';
const PORTS = ['logs', 'builds', 'workflow', 'git', 'blobs', 'images'] as const;

/** How a port fails that fails always. */
type Manner = 'throttles' | 'throws' | 'hangs';

type Broken = { port: Port; manner: Manner; deploymentId: string | undefined };

export class Faults {
  /** Nothing goes wrong any more once this is false, but for what is broken. */
  active = false;
  /** Until then the control plane is down: whatever is started dies at once. Epoch milliseconds. */
  downUntil = 0;
  readonly profile: Profile;
  /** A port that fails at every call, for one deployment or for all. */
  broken: Broken | undefined;
  readonly #random: Random;
  readonly #time: VirtualTime;

  constructor(random: Random, time: VirtualTime) {
    this.#random = random;
    this.#time = time;
    this.profile = {
      stall: random.pick([0.004, 0.03, 0.15, 0.3]),
      crash: random.pick([0.005, 0.02, 0.1]),
      throttle: random.pick([0, 0.005, 0.03]),
      duplicate: random.pick([0, 0.05, 0.4]),
      loss: random.pick([0, 0.01, 0.1]),
      indexLag: random.pick([0.05, 0.2]),
      sweepSeconds: random.pick([60, 60, 60, 15]),
    };
  }

  get down(): boolean {
    return this.#time.now < this.downUntil;
  }

  goDown(milliseconds: number): void {
    this.downUntil = Math.max(this.downUntil, this.#time.now + milliseconds);
  }

  /** Decided anew at each call; never while nothing is to go wrong. */
  chance(probability: number): boolean {
    return this.#random.next() < probability && this.active;
  }

  /** Milliseconds that a call takes. */
  latency(): number {
    if (this.chance(0.002)) return this.#random.between(1_000, 70_000);
    return this.chance(this.profile.stall) ? this.#random.between(12, 3_000) : this.#random.between(1, 12);
  }

  /** Breaks a port, for one deployment or for all. */
  break(deploymentId: string | undefined): void {
    const manner = this.#random.pick(['throttles', 'throws', 'hangs'] as const);
    this.broken = { port: this.#random.pick(PORTS), manner, deploymentId };
  }

  /** How a call to a port fails, if it does. */
  failureOf(port: Port, deploymentId: string | undefined): Manner | undefined {
    const { broken } = this;
    const isHit = broken?.port === port && (broken.deploymentId ?? deploymentId) === deploymentId;
    if (isHit) return broken.manner;
    return port !== 'table' && this.chance(this.profile.throttle) ? 'throttles' : undefined;
  }
}

export const throttled = (): Error =>
  Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });

/** Milliseconds that functions may take; what takes longer is ended. */
export const limits = { api: 29_000, step: 60_000, consumer: 60_000, sweep: 300_000 } as const;

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
