import { hostNameOf } from '../../../../serving/hosts.ts';
import type { ProxyTarget } from './target.ts';

/**
 * Where requests for one deployment go now. Moving them to another server is one assignment: a request sees
 * either the old target or the new one.
 */
export class ProxyRoute {
  readonly name: string;
  /**
   * The host of the deployment's own address, which requests for it may name; undefined without such an
   * address.
   */
  customHost: string | undefined;
  #target: ProxyTarget | undefined;
  #reason = 'it is being started';
  readonly #waiting = new Set<() => void>();
  #heldUntil = 0;

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

  /** Takes the host of the deployment's own address, if it has one. True: it was another before. */
  setAddress(url: string | null): boolean {
    const before = this.customHost;
    this.customHost = url === null ? undefined : hostNameOf(URL.parse(url)?.host || url);
    return this.customHost !== before;
  }

  moveTo(target: ProxyTarget): void {
    this.#target = target;
    this.#wake();
  }

  /**
   * Takes the target away for a moment: until another comes, at most so long, requests wait however patient
   * they are.
   */
  hold(withinMilliseconds: number): void {
    this.clear('it is being replaced');
    this.#heldUntil = Date.now() + withinMilliseconds;
  }

  /** Nothing serves for now; `reason` goes on after `has no running server: `. */
  clear(reason: string): void {
    this.#target = undefined;
    this.#reason = reason;
    this.#heldUntil = 0;
  }

  /** Ends the waiting of requests that no target will come for. */
  close(): void {
    this.clear('it has been removed');
    this.#wake();
  }

  /** The current target, waited for up to this long; undefined when none came. */
  async waitForTarget(withinMilliseconds: number): Promise<ProxyTarget | undefined> {
    const wait = Math.max(withinMilliseconds, this.#heldUntil - Date.now());
    if (this.#target !== undefined || wait <= 0) return this.#target;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, wait);
      this.#waiting.add(done);
    });
    return this.#target;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
