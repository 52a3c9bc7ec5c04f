import type { Consent } from './cross-origin.ts';
import type { OwnAddress } from './own-address.ts';
import type { ProxyTarget } from './target.ts';
import type { Traffic } from './traffic.ts';

/** So many origins whose pages a server has allowed to ask are kept in mind. */
const CONSENTS_MAX = 50;

/**
 * Where requests for one deployment go now. Moving them to another server is one assignment: a request sees
 * either the old target or the new one.
 */
export class ProxyRoute {
  readonly name: string;
  /** The host of the deployment's own address, which is for it alone; undefined without such an address. */
  customHost: string | undefined;
  /** The path of that address, without a slash at its end. */
  customPath = '';
  /** Where requests are counted that no server answers: with those of the revision that served last. */
  traffic: Traffic | undefined;
  #target: ProxyTarget | undefined;
  #reason = 'it is being started';
  readonly #waiting = new Set<() => void>();
  #heldUntil = 0;
  #isClosed = false;
  /** What the server that serves now has allowed, by origin. */
  readonly #consents = new Map<string, Consent>();

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

  /** The deployment's own address from now on. */
  setAddress({ customHost, customPath }: OwnAddress): void {
    this.customHost = customHost;
    this.customPath = customPath;
  }

  /** What the server last allowed the pages of this origin, also while it is away. */
  consentTo(origin: string): Consent | undefined {
    return this.#consents.get(origin);
  }

  /** Keeps what a server has allowed the pages of this origin (undefined: nothing), if it still serves. */
  noteConsent(target: ProxyTarget, origin: string, consent: Consent | undefined): void {
    if (this.#target !== target) return;
    this.#consents.delete(origin);
    if (consent === undefined) return;
    this.#consents.set(origin, consent);
    const [oldest] = this.#consents.keys();
    if (this.#consents.size > CONSENTS_MAX && oldest !== undefined) this.#consents.delete(oldest);
  }

  moveTo(target: ProxyTarget): void {
    this.#target = target;
    this.traffic = target.traffic ?? this.traffic;
    // Another server may allow less.
    this.#consents.clear();
    this.#wake();
  }

  /**
   * Nothing serves for now; `reason` goes on after `has no running server: `. Until `heldUntil`, in
   * milliseconds since 1970, requests wait for the next target however patient they are.
   */
  clear(reason: string, heldUntil = 0): void {
    this.#target = undefined;
    this.#reason = reason;
    this.#heldUntil = heldUntil;
  }

  /** Ends the waiting of requests that no target will come for. */
  close(): void {
    this.#isClosed = true;
    this.clear('it has been removed');
    this.#wake();
  }

  /** The current target, waited for up to this long; undefined when none came. */
  async waitForTarget(withinMilliseconds: number): Promise<ProxyTarget | undefined> {
    const deadline = Date.now() + withinMilliseconds;
    for (;;) {
      const wait = Math.max(deadline, this.#heldUntil) - Date.now();
      // One that came may be gone again by the time that whoever was woken looks.
      if (this.#target !== undefined || this.#isClosed || wait <= 0) return this.#target;
      await this.#woken(wait);
    }
  }

  #woken(withinMilliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMilliseconds);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
