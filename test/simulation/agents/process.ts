import type { VirtualTime } from '../virtual-time.ts';

/** A process of the operating system: it may die at any moment, or stand still for a while. */
export class Process {
  readonly name: string;
  readonly #time: VirtualTime;
  #isAlive = true;
  #frozenUntil = 0;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get isFrozen(): boolean {
    return this.#time.now < this.#frozenUntil;
  }

  kill(): void {
    this.#isAlive = false;
  }

  freeze(milliseconds: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#time.now + milliseconds);
  }

  /** Runs something inside of it after a time: later if it stands still, never if it is dead. */
  readonly after = (milliseconds: number, run: () => void): (() => void) => {
    let isCleared = false;
    const due = (): void => {
      if (isCleared || !this.#isAlive) return;
      if (this.isFrozen) this.#time.after(this.#frozenUntil - this.#time.now, due);
      else run();
    };
    this.#time.after(milliseconds, due);
    return () => {
      isCleared = true;
    };
  };

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }
}
