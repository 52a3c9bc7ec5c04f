import type { Port } from './faults.ts';
import { throttled } from './faults.ts';
import type { Ground } from './ground.ts';
import { NOTHING } from './virtual-time.ts';

/** The function was ended before its own end: it died, or took too long. */
export class Ended extends Error {
  constructor(name: string) {
    super(`${name} was ended`);
    this.name = 'Sandbox.Timedout';
  }
}

/** The function could not be started. */
export class NotStarted extends Error {
  constructor(name: string) {
    super(`${name} could not be started`);
    this.name = 'Lambda.ServiceException';
  }
}

/** What became of the function was not heard. */
export class Unheard extends Error {
  constructor(name: string, error: string) {
    super(`${name} was not heard to end`);
    this.name = error;
  }
}

/** A port failed in a way that nobody foresaw. */
export class BrokenPort extends Error {
  constructor(port: Port) {
    super(`${port} is broken`);
    this.name = 'Error';
  }
}

const LAST_CALL = 14;

/** One call of a function, which may die at any call to a port: before or after that has taken effect. */
export class Invocation {
  readonly name: string;
  dead = false;
  readonly #ground: Ground;
  readonly #dies: () => void;
  #callsLeft: number;

  constructor(ground: Ground, name: string, dies: () => void) {
    this.#ground = ground;
    this.name = name;
    this.#dies = dies;
    const { faults, random } = ground;
    this.#callsLeft = faults.chance(faults.profile.crash)
      ? random.whole(1, LAST_CALL)
      : Number.POSITIVE_INFINITY;
  }

  /** Asks a port. Never settles once the function is dead. `about`: the deployment that is asked about. */
  call<T>(port: Port, what: string, effect: () => T, about?: string): Promise<T> {
    const { faults, time, random } = this.#ground;
    return new Promise((resolve, reject) => {
      if (this.dead) return;
      this.#callsLeft -= 1;
      const diesHere = this.#callsLeft <= 0;
      const failure = faults.failureOf(port, about);
      if (failure === 'hangs') return;
      time.after(faults.latency(), () => {
        if (this.dead) return;
        if (diesHere) return this.#dieAt(what, random.chance(0.5) ? effect : undefined);
        if (failure !== undefined) {
          reject(failure === 'throttles' ? throttled() : new BrokenPort(port));
          return;
        }
        settle(effect, resolve, reject);
      });
    });
  }

  /** Waits as long as the function lives. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#ground.time.after(milliseconds, () => {
        if (this.dead) return NOTHING;
        return resolve();
      });
    });
  }

  end(): void {
    this.dead = true;
  }

  #dieAt(what: string, effect: (() => unknown) | undefined): void {
    this.#ground.say(() => `${this.name} dies ${effect === undefined ? 'before' : 'after'} ${what}`);
    this.#ground.count('deaths');
    this.dead = true;
    try {
      effect?.();
    } catch {
      // Nobody is left to hear it.
    }
    this.#dies();
  }
}

function settle<T>(effect: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  try {
    resolve(effect());
  } catch (error) {
    reject(error);
  }
}

export type Function = { name: string; milliseconds: number };

/** Those that are at work, which all die with the process that they share. */
export class Invocations {
  readonly #ground: Ground;
  readonly #alive = new Set<() => void>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Calls a function. Rejects with `Ended` when it dies or takes too long, and with what it throws. */
  invoke<T>({ name, milliseconds }: Function, run: (invocation: Invocation) => Promise<T>): Promise<T> {
    const { faults, time } = this.#ground;
    return new Promise((resolve, reject) => {
      if (faults.down || faults.chance(faults.profile.crash / 4)) {
        reject(new NotStarted(name));
        return;
      }
      const die = () => {
        invocation.end();
        this.#alive.delete(die);
        reject(new Ended(name));
      };
      const invocation = new Invocation(this.#ground, name, die);
      this.#alive.add(die);
      time.after(milliseconds, () => {
        if (invocation.dead) return NOTHING;
        return die();
      });
      const over = () => {
        const wasAlive = !invocation.dead;
        invocation.end();
        this.#alive.delete(die);
        return wasAlive;
      };
      run(invocation).then(
        (value) => {
          if (over()) resolve(value);
        },
        (error: unknown) => {
          if (over()) reject(error);
        },
      );
    });
  }

  /** As when the process dies. */
  killAll(): void {
    for (const die of [...this.#alive]) die();
  }
}
