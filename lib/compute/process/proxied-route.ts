import type { RouteState, ServerTarget } from './proxy/messages.ts';
import { type OwnAddress, ownAddress } from './proxy/own-address.ts';

/**
 * Where requests for one deployment go now. What is said here is true at once; each answer resolves when the
 * proxy's process keeps to it, so that what served before can be drained or stopped.
 */
export class ProxiedRoute {
  #state: RouteState;
  readonly #tell: (state: RouteState) => Promise<void>;

  constructor(name: string, tell: (state: RouteState) => Promise<void>) {
    this.#state = { name, customPath: '', reason: 'it is being started', heldUntil: 0 };
    this.#tell = tell;
  }

  get name(): string {
    return this.#state.name;
  }

  get customHost(): string | undefined {
    return this.#state.customHost;
  }

  get customPath(): string {
    return this.#state.customPath;
  }

  /** All that there is to know of it. */
  get state(): RouteState {
    return this.#state;
  }

  /** Takes the deployment's own address, if it has one. True: it was another before. */
  setAddress(url: string | null): boolean {
    const address = ownAddress(url);
    if (address.customHost === this.customHost && address.customPath === this.customPath) return false;
    void this.#change(address);
    return true;
  }

  /** What is known of a deployment from before a restart. `traffic`: what its requests are counted as. */
  recall(address: OwnAddress, traffic: string): Promise<void> {
    return this.#change({ ...address, traffic });
  }

  moveTo(target: ServerTarget): Promise<void> {
    const traffic = target.traffic ?? this.#state.traffic;
    return this.#change({ target, traffic, heldUntil: 0 });
  }

  /**
   * Takes the target away for a moment: until another comes, at most so long, requests wait however patient
   * they are.
   */
  hold(withinMilliseconds: number): Promise<void> {
    const heldUntil = Date.now() + withinMilliseconds;
    return this.#change({ target: undefined, reason: 'it is being replaced', heldUntil });
  }

  /** Nothing serves for now; `reason` goes on after `has no running server: `. */
  clear(reason: string): Promise<void> {
    return this.#change({ target: undefined, reason, heldUntil: 0 });
  }

  #change(change: Partial<RouteState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    return this.#tell(this.#state);
  }
}
