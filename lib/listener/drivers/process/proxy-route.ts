import type { ProxyTarget } from './proxy-target.ts';

/**
 * Where requests for one deployment go now. Moving them to another server is one assignment: a request sees either the old
 * target or the new one.
 */
export class ProxyRoute {
  readonly name: string;
  #target: ProxyTarget | undefined;
  #reason = 'it is being started';
  readonly #waiting = new Set<() => void>();

  constructor(name: string) {
    this.name = name;
  }

  get target(): ProxyTarget | undefined {
    return this.#target;
  }

  /** Why there is no target. */
  get reason(): string {
    return this.#reason;
  }

  moveTo(target: ProxyTarget): void {
    this.#target = target;
    this.#wake();
  }

  /** Nothing serves for now; `reason` goes on after `has no running server: `. */
  clear(reason: string): void {
    this.#target = undefined;
    this.#reason = reason;
  }

  /** Ends the waiting of requests that no target will come for. */
  close(): void {
    this.clear('it has been removed');
    this.#wake();
  }

  /** The current target, waited for up to this long; undefined when none came. */
  async waitForTarget(withinMilliseconds: number): Promise<ProxyTarget | undefined> {
    if (this.#target !== undefined || withinMilliseconds <= 0) return this.#target;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMilliseconds);
      this.#waiting.add(done);
    });
    return this.#target;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
